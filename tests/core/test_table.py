"""Covers table, links and kinds: who is set up, for whom, and what may listen to what."""

from typing import Any

import pytest

from tests.support.clients.fake_client import FakeClient
from unitd.core.tasks.kinds import BUILTIN_KINDS, COMMON_ACTIONS, Effect, third_party_kind
from unitd.core.tasks.links import check_link, effect_of
from unitd.core.tasks.table import (
    FIRST_NUMBER,
    Client,
    Task,
    TaskTable,
)
from unitd.wire.errors import BadLink, TaskFull, UnknownTask


def make_task(work_id: str, owner: Client | None = None, **changes: Any) -> Task:
    """A task as setup would make it."""
    unit = work_id.partition(".")[0]
    values: dict[str, Any] = {
        "kind": BUILTIN_KINDS[unit],
        "model": "default",
        "response_format": f"{unit}.utf-8.stream",
        "enoutput": True,
        "inputs": [f"{unit}.utf-8"],
        "setup": {},
        "request_id": "2",
        "owner": owner or FakeClient(),
        "created": 5,
    }
    return Task(work_id=work_id, **values | changes)


def registry_of(*tasks: Task, limit: int = 64) -> TaskTable:
    """A registry that holds these tasks."""
    task_table = TaskTable(limit)
    for task in tasks:
        task_table.add(task)
    return task_table


def leave(task_table: TaskTable, client: FakeClient, now: float) -> None:
    """The client hangs up."""
    client.is_gone = True
    task_table.note_departure(client, now)


# The happy day


def test_a_task_is_found_by_its_work_id() -> None:
    """Until it is removed."""
    task = make_task("llm.1000")
    task_table = registry_of(task)

    assert task_table.find("llm.1000") is task
    assert task_table.get("llm.1000") is task
    assert list(task_table) == [task]


def test_tasks_of_a_unit_are_listed_oldest_first() -> None:
    """taskinfo shows them in this order."""
    kws, first, second = make_task("kws.1000"), make_task("llm.1001"), make_task("llm.1002")
    task_table = registry_of(kws, first, second)

    assert task_table.of_unit("llm") == [first, second]
    assert task_table.of_unit("asr") == []


def test_numbers_start_where_the_original_s_do() -> None:
    """kws.1000 is the first task of many a client."""
    task_table = TaskTable(64)

    assert [task_table.claim_number() for _ in range(3)] == [1000, 1001, 1002]
    assert FIRST_NUMBER == 1000


def test_a_number_never_comes_again() -> None:
    """A number is not given again after its task has ended, nor after a restart."""
    task_table = TaskTable(64, next_number=1042)
    task = make_task(f"llm.{task_table.claim_number()}")
    task_table.add(task)
    task_table.remove(task)

    assert task_table.claim_number() == 1043
    assert task_table.next_number == 1044


def test_listeners_are_known_by_their_inputs() -> None:
    """A link lives in its target."""
    kws, llm, asr = make_task("kws.1000"), make_task("llm.1001"), make_task("asr.1002")
    llm.inputs.append("kws.1000")
    asr.inputs.append("kws.1000")
    task_table = registry_of(kws, llm, asr)

    assert task_table.targets_of("kws.1000") == [llm, asr]
    assert task_table.inputs["llm.1001"] == ["llm.utf-8", "kws.1000"]


def test_a_removed_task_takes_its_links_along() -> None:
    """Its targets keep their other inputs."""
    kws, llm = make_task("kws.1000"), make_task("llm.1001", inputs=["llm.utf-8", "kws.1000", "asr.1002"])
    task_table = registry_of(kws, llm)

    task_table.remove(kws)

    assert llm.inputs == ["llm.utf-8", "asr.1002"]
    assert list(task_table) == [llm]


def test_tasks_may_end_while_they_are_counted() -> None:
    """sys.reset walks over all tasks and removes each."""
    task_table = registry_of(make_task("llm.1000"), make_task("llm.1001"), make_task("llm.1002"))

    for task in task_table:
        task_table.remove(task)

    assert list(task_table) == []


# Who listens


def test_output_goes_to_the_owner() -> None:
    """Also when another client addressed the task."""
    owner, other = FakeClient(), FakeClient()
    task = make_task("llm.1000", owner)

    registry_of(task).note_client(task, other)

    assert task.listener is owner


def test_when_the_owner_is_gone_the_last_client_listens() -> None:
    """The output goes to the client that used the task last."""
    owner, earlier, last = FakeClient(), FakeClient(), FakeClient()
    task = make_task("llm.1000", owner)
    task_table = registry_of(task)
    task_table.note_client(task, earlier)
    task_table.note_client(task, last)

    leave(task_table, owner, now=5.0)

    assert task.listener is last
    assert task.abandoned_at is None


def test_when_all_are_gone_nobody_listens() -> None:
    """The task stays, and from now on it ages."""
    owner, last = FakeClient(), FakeClient()
    task = make_task("llm.1000", owner)
    task_table = registry_of(task)
    task_table.note_client(task, last)

    leave(task_table, last, now=5.0)
    leave(task_table, owner, now=7.0)

    assert task.listener is None
    assert task.abandoned_at == 7.0
    assert task_table.find("llm.1000") is task


def test_who_addresses_an_abandoned_task_adopts_it() -> None:
    """The output of the task goes to that client from then on."""
    owner, finder = FakeClient(), FakeClient()
    task = make_task("llm.1000", owner)
    task_table = registry_of(task)
    leave(task_table, owner, now=5.0)

    task_table.note_client(task, finder)

    assert task.listener is finder
    assert task.abandoned_at is None


def test_a_stranger_s_departure_changes_nothing() -> None:
    """The owner stays the owner when another client leaves, once or twice."""
    owner, stranger = FakeClient(), FakeClient()
    task = make_task("llm.1000", owner)
    task_table = registry_of(task)
    leave(task_table, owner, now=5.0)

    leave(task_table, stranger, now=8.0)
    leave(task_table, owner, now=9.0)

    assert task.abandoned_at == 5.0


@pytest.mark.parametrize(
    ("inputs", "takes"), [(["llm.utf-8"], True), (["llm"], True), (["kws.1000"], False), ([], False)]
)
def test_a_task_without_an_own_input_takes_no_inference(inputs: list[str], takes: bool) -> None:
    """asr → llm without `llm.utf-8` in between, as in the original's voice assistant."""
    assert make_task("llm.1000", inputs=inputs).takes_input is takes


@pytest.mark.parametrize(
    ("response_format", "is_stream"), [("llm.utf-8.stream", True), ("llm.utf-8", False), ("", False)]
)
def test_the_response_format_decides_about_streaming(response_format: str, is_stream: bool) -> None:
    """By its words, as in the original."""
    assert make_task("llm.1000", response_format=response_format).is_stream is is_stream


# The limits


def test_while_there_is_room_nobody_leaves() -> None:
    """Abandoned tasks stay as long as they harm nobody."""
    owner = FakeClient()
    task_table = registry_of(make_task("llm.1000", owner), limit=2)
    leave(task_table, owner, now=5.0)

    assert task_table.victim() is None


def test_who_was_left_longest_ago_makes_room() -> None:
    """Not the oldest task, nor the last one left."""
    clients = [FakeClient() for _ in range(3)]
    tasks = [make_task(f"llm.{1000 + at}", client) for at, client in enumerate(clients)]
    task_table = registry_of(*tasks, limit=3)

    leave(task_table, clients[2], now=7.0)
    leave(task_table, clients[1], now=5.0)

    assert task_table.victim() is tasks[1]


def test_a_task_left_at_the_clock_s_start_makes_room() -> None:
    """Zero is a time like any other."""
    owner, other = FakeClient(), FakeClient()
    task = make_task("llm.1000", owner)
    task_table = registry_of(make_task("llm.1001", other), task, limit=2)
    leave(task_table, other, now=1.0)
    leave(task_table, owner, now=0.0)

    assert task_table.victim() is task


def test_when_all_tasks_are_owned_there_is_no_room() -> None:
    """The answer is -21 and says what to do."""
    task_table = registry_of(make_task("llm.1000"), make_task("llm.1001"), limit=2)

    with pytest.raises(TaskFull, match=r"^task full: 2 tasks are set up; end one with exit$"):
        task_table.victim()


# The damage


@pytest.mark.parametrize("work_id", ["llm.1001", "llm", "", "llm.x", "kws.1000"])
def test_an_unknown_work_id_is_refused(work_id: str) -> None:
    """The answer is -6."""
    task_table = registry_of(make_task("llm.1000"))

    assert task_table.get(work_id) is None
    with pytest.raises(UnknownTask) as caught:
        task_table.find(work_id)
    assert caught.value.code == -6


def test_a_task_can_be_removed_twice() -> None:
    """Exit and a dying child may meet."""
    task, other = make_task("llm.1000"), make_task("llm.1001")
    task_table = registry_of(task, other)

    task_table.remove(task)
    task_table.remove(task)

    assert list(task_table) == [other]


# Links

NOBODY: dict[str, list[str]] = {"kws.1000": [], "asr.1001": [], "llm.1002": [], "llm.1003": []}


def refusal_of(source: str, target: str, inputs: dict[str, list[str]]) -> str:
    """Why this link may not be, "" when it may."""
    try:
        check_link(source, target, inputs)
    except BadLink as refusal:
        return str(refusal)
    return ""


@pytest.mark.parametrize(
    ("source", "target", "effect"),
    [
        ("kws.1000", "llm.1002", Effect.STOP),
        ("asr.1001", "llm.1002", Effect.PROMPT),
        ("kws.1000", "asr.1001", Effect.WAKE),
    ],
)
def test_the_original_s_links_are_allowed(source: str, target: str, effect: Effect) -> None:
    """kws stops llm, asr prompts llm, kws wakes asr."""
    assert refusal_of(source, target, NOBODY) == ""
    assert effect_of(source, target) is effect


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("llm.1002", "llm.1003"),
        ("llm.1002", "kws.1000"),
        ("llm.1002", "asr.1001"),
        ("asr.1001", "kws.1000"),
    ],
)
def test_a_pair_that_means_nothing_is_refused(source: str, target: str) -> None:
    """The answer is -20 and names both units."""
    with pytest.raises(BadLink, match=f"^link false: {target[:3]} has no use for the output of {source[:3]}$"):
        check_link(source, target, NOBODY)

    assert effect_of(source, target) is None


@pytest.mark.parametrize("source", ["kws.1009", "kws", "sys.pcm", "", "llm.utf-8"])
def test_an_unknown_source_is_refused(source: str) -> None:
    """A link needs a task that is set up."""
    with pytest.raises(BadLink, match=f"there is no task {source}"):
        check_link(source, "llm.1002", NOBODY)


@pytest.mark.parametrize(
    "inputs",
    [
        {"asr.1001": ["llm.1002"], "llm.1002": []},
        {"asr.1001": ["kws.1000"], "kws.1000": ["llm.1002"], "llm.1002": []},
        {"asr.1001": ["kws.1000"], "kws.1000": ["llm.1003"], "llm.1003": ["llm.utf-8", "llm.1002"], "llm.1002": []},
        {"asr.1001": ["kws.1000", "llm.1003"], "kws.1000": ["llm.1002"], "llm.1003": ["kws.1009"], "llm.1002": []},
    ],
    ids=["one link", "two links", "three links", "one of two ways"],
)
def test_a_loop_is_refused(inputs: dict[str, list[str]]) -> None:
    """asr → llm, when llm reaches asr over any number of links."""
    with pytest.raises(BadLink, match="would loop"):
        check_link("asr.1001", "llm.1002", inputs)


def test_a_task_cannot_listen_to_itself() -> None:
    """The shortest loop."""
    with pytest.raises(BadLink, match="would loop"):
        check_link("llm.1002", "llm.1002", NOBODY)


def test_two_ways_to_one_task_are_no_loop() -> None:
    """kws → asr → llm and kws → llm is the original's voice assistant."""
    inputs = {"kws.1000": ["sys.pcm"], "asr.1001": ["sys.pcm", "kws.1000"], "llm.1002": ["asr.1001"]}

    assert refusal_of("kws.1000", "llm.1002", inputs) == ""


def test_a_loop_elsewhere_does_not_hang() -> None:
    """Inputs that already loop, by whatever accident, are searched once."""
    inputs = {"kws.1000": ["asr.1001"], "asr.1001": ["kws.1000"], "llm.1002": []}

    assert refusal_of("kws.1000", "llm.1002", inputs) == ""


# Kinds


@pytest.mark.parametrize(
    ("name", "required", "own_actions"),
    [
        ("llm", {"model", "response_format", "enoutput", "prompt"}, {"cancel", "warm", "turn_end"}),
        ("kws", {"model", "response_format", "enoutput"}, {"trigger"}),
        ("asr", {"model", "response_format", "enoutput"}, set()),
    ],
)
def test_each_kind_knows_its_keys_and_actions(name: str, required: set[str], own_actions: set[str]) -> None:
    """docs/original-firmware.md, section 2, and the table of actions."""
    kind = BUILTIN_KINDS[name]

    assert kind.name == name
    assert set(kind.required) == required
    assert kind.actions - COMMON_ACTIONS == own_actions


@pytest.mark.parametrize(("name", "client_gives_up"), [("llm", 30), ("kws", 30), ("asr", 10)])
def test_a_slow_load_answers_before_the_client_gives_up(name: str, client_gives_up: int) -> None:
    """The original's clients wait this long for a setup (docs/original-firmware.md, section 9)."""
    assert 0 < BUILTIN_KINDS[name].patience_seconds < client_gives_up


def test_a_third_party_unit_may_use_every_action() -> None:
    """The daemon requires no key in the setup of such a unit; the unit checks it itself."""
    kind = third_party_kind("sonar")

    assert kind.required == ()
    assert kind.actions == COMMON_ACTIONS | {"cancel", "warm", "trigger"}
    assert kind.takes_itself(["sonar.raw"])


@pytest.mark.parametrize(
    ("inputs", "takes"),
    [
        (["kws.base64"], True),
        (["kws"], True),
        (["sys.pcm", "kws.base64.wav"], True),
        (["sys.pcm"], False),
        (["kws.1000"], False),
        (["kwsx.base64"], False),
        (["asr.base64"], False),
        ([""], False),
        ([], False),
    ],
    ids=str,
)
def test_a_unit_s_own_data_is_told_from_its_tasks(inputs: list[str], takes: bool) -> None:
    """ "kws.base64" is audio by inference, "kws.1000" is a task."""
    assert BUILTIN_KINDS["kws"].takes_itself(inputs) is takes
