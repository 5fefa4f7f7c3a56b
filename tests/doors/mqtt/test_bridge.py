"""Covers bridge, door and requests of unitd.doors.mqtt, and unitd.runtime.tasks.observers."""

from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from tests.support.daemon import running_app, tcp_client
from tests.support.servers.brokers import Broker, Listener, listening
from tests.support.setups import KWS_SETUP, LLM_SETUP, LONG_QUESTION
from unitd.app import App

NODE = "kitchen"
BASE = f"unitd/{NODE}"


async def set_up(listener: Listener, unit: str = "llm", **setup: object) -> str:
    """A task that was set up over MQTT."""
    data = (LLM_SETUP if unit == "llm" else KWS_SETUP) | setup
    reply = await listener.ask(NODE, request_id="1", work_id=unit, action="setup", data=data)
    return str(reply["work_id"])


async def test_a_request_is_answered_where_its_sender_wants_it(bridged: App, listener: Listener) -> None:
    """At the response topic, with the correlation data; without one at reply/<request_id>."""
    reply = await listener.ask(NODE, answers="phone/answers", request_id="7", work_id="sys", action="ping")
    await listener.publish(f"{BASE}/request", '{"request_id":"8","work_id":"sys","action":"ping"}')
    await listener.until(lambda: bool(listener.on(f"{BASE}/reply/8")))

    assert (reply["request_id"], reply["error"]["code"]) == ("7", 0)
    assert len(listener.on("phone/answers")) == 1
    assert listener.objects_on(f"{BASE}/reply/8")[0]["error"]["code"] == 0


async def test_an_answer_streams_to_its_sender_and_to_the_tasks_own_topics(bridged: App, listener: Listener) -> None:
    """Frames for both, the whole text when it is finished."""
    work_id = await set_up(listener)

    asked = await listener.request(
        NODE, request_id="2", work_id=work_id, action="inference", object="llm.utf-8", data="hello"
    )
    await listener.until(lambda: bool(listener.on(f"{BASE}/{work_id}/answer")))

    answers = listener.answers_to(asked)
    text = "".join(each["data"]["delta"] for each in answers)
    assert [each["data"]["finish"] for each in answers] == [False] * (len(answers) - 1) + [True]
    assert listener.on(f"{BASE}/{work_id}/text") == [text.encode()]
    assert listener.objects_on(f"{BASE}/{work_id}/output") == answers
    assert listener.objects_on(f"{BASE}/{work_id}/answer")[0]["tokens_per_second"] > 1


async def test_state_is_retained_while_a_task_lives(bridged: App, broker: Broker, listener: Listener) -> None:
    """Its entry of sys.lstask; whoever comes later reads it, and nothing of a task that has ended."""
    work_id = await set_up(listener)
    topic = f"{BASE}/{work_id}/state"
    async with listening(broker, topic) as late:
        await late.until(lambda: bool(late.on(topic)))
        entry = late.objects_on(topic)[0]

    await listener.ask(NODE, request_id="3", work_id=work_id, action="exit")
    await listener.until(lambda: listener.on(topic)[-1:] == [b""])
    async with listening(broker, "unitd/#") as later:
        await later.until(lambda: bool(later.on(f"{BASE}/status")))

    assert (entry["work_id"], entry["state"], entry["door"]) == (work_id, "idle", "mqtt")
    assert later.on(topic) == []


async def test_tasks_of_other_doors_are_seen(bridged: App, listener: Listener) -> None:
    """A wake that a TCP client pulls is an event here."""
    async with tcp_client(bridged) as client:
        work_id = await client.setup("kws", KWS_SETUP)
        await client.ask(work_id=work_id, action="trigger")
        await listener.until(lambda: bool(listener.on(f"{BASE}/{work_id}/wake")))

    assert listener.objects_on(f"{BASE}/{work_id}/wake")[0]["event_type"] == "wake"
    assert listener.objects_on(f"{BASE}/{work_id}/output")[0]["object"] == "kws.bool"


async def test_home_assistants_entities_do_what_they_say(bridged: App, listener: Listener) -> None:
    """Ask, pause, work, interrupt, wake now."""
    llm = await set_up(listener)
    kws = await set_up(listener, "kws")
    state = f"{BASE}/{llm}/state"

    await listener.publish(f"{BASE}/{llm}/ask", LONG_QUESTION)
    await listener.until(lambda: bool(listener.on(f"{BASE}/{llm}/output")))
    await listener.publish(f"{BASE}/{llm}/work", "OFF")
    await listener.until(lambda: listener.objects_on(state)[-1]["state"] == "paused")
    await listener.publish(f"{BASE}/{llm}/work", "ON")
    await listener.until(lambda: listener.objects_on(state)[-1]["state"] == "running")
    await listener.publish(f"{BASE}/{llm}/interrupt", "PRESS")
    await listener.until(lambda: listener.objects_on(state)[-1]["state"] == "idle")
    await listener.publish(f"{BASE}/{kws}/wake_now", "PRESS")
    await listener.until(lambda: bool(listener.on(f"{BASE}/{kws}/wake")))

    assert len(listener.on(f"{BASE}/{llm}/text")) == 1


async def test_the_board_tells_how_it_is(bridged: App, listener: Listener) -> None:
    """At once, and then every half minute."""
    await listener.until(lambda: bool(listener.on(f"{BASE}/stats")))

    stats = listener.objects_on(f"{BASE}/stats")[0]
    assert set(stats) == {"cpu_percent", "memory_percent", "temperature", "uptime_s", "version"}
    assert 0 < stats["memory_percent"] <= 100
    assert stats["temperature"] != 0  # a board without a sensor does not freeze


# One execution each


async def test_a_repeated_request_is_executed_once(bridged: App, listener: Listener) -> None:
    """The same correlation data is the same request; the same request_id is not."""
    request = b'{"request_id":"5","work_id":"sys","action":"ping"}'
    for _ in range(3):
        await listener.publish(f"{BASE}/request", request, "my/answers", b"only once")
    for number in range(3):
        await listener.publish(f"{BASE}/request", request, "my/answers", b"another %d" % number)
    await listener.until(lambda: bool(listener.answers_to(b"another 2")))

    assert len(listener.answers_to(b"only once")) == 1
    assert len(listener.on("my/answers")) == 4


# Bad input


@pytest.mark.parametrize("payload", ["nonsense", '{"request_id":"0"', "[]", "", '{"request_id":7}'])
async def test_what_is_no_request_is_answered_with_an_error(bridged: App, listener: Listener, payload: str) -> None:
    """-2, and the next one is served."""
    await listener.publish(f"{BASE}/request", payload, "my/answers", b"bad")
    await listener.until(lambda: bool(listener.answers_to(b"bad")))

    assert listener.answers_to(b"bad")[0]["error"]["code"] == -2
    assert (await listener.ask(NODE, request_id="1", work_id="sys", action="ping"))["error"]["code"] == 0


async def test_a_retained_request_is_ignored(
    tmp_path: Path, broker: Broker, listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    """It was sent before anybody listened; a log line tells."""
    await listener.client.publish(f"{BASE}/request", '{"request_id":"9","work_id":"sys","action":"ping"}', 1, True)

    async with running_app(tmp_path, {"mqtt": {"port": broker.port, "node": NODE}}):
        await listener.until(lambda: b"online" in listener.on(f"{BASE}/status"))
        reply = await listener.ask(NODE, request_id="10", work_id="sys", action="ping")

    assert reply["error"]["code"] == 0
    assert listener.on(f"{BASE}/reply/9") == []
    assert "retained message" in caplog.text


async def test_an_entity_that_asks_too_late_harms_nobody(
    bridged: App, listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    """The task has ended."""
    await listener.publish(f"{BASE}/llm.4711/interrupt", "PRESS")
    await listener.publish(f"{BASE}/llm.4711/ask", "anybody there?")
    reply = await listener.ask(NODE, request_id="1", work_id="sys", action="ping")

    assert reply["error"]["code"] == 0
    assert "cancel of llm.4711" in caplog.text


# The broker comes and goes


async def test_the_last_will_tells_of_an_accident_and_goodbye_of_a_clean_end(
    tmp_path: Path, broker: Broker, listener: Listener
) -> None:
    """offline, retained, in both cases; a clean end takes its tasks back first."""
    async with running_app(tmp_path, {"mqtt": {"port": broker.port, "node": NODE}}):
        await listener.until(lambda: b"online" in listener.on(f"{BASE}/status"))
        work_id = await set_up(listener)
    await listener.until(lambda: listener.on(f"{BASE}/status")[-1:] == [b"offline"])

    async with listening(broker, "unitd/#") as later:
        await later.until(lambda: bool(later.on(f"{BASE}/status")))
    assert later.on(f"{BASE}/status") == [b"offline"]
    assert later.on(f"{BASE}/{work_id}/state") == []


async def test_a_daemon_without_its_broker_serves_everybody_else(
    tmp_path: Path, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    """The daemon warns once, and its status is online as soon as the broker can be reached."""
    await broker.stop()
    async with running_app(tmp_path, {"mqtt": {"port": broker.port, "node": NODE}}) as app:
        async with tcp_client(app) as client:
            work_id = await client.setup("llm", LLM_SETUP)
            assert await client.answer(work_id, "hello")

        await broker.start()
        async with listening(broker) as listener:
            await listener.until(lambda: b"online" in listener.on(f"{BASE}/status"))
            await listener.until(lambda: bool(listener.on(f"{BASE}/{work_id}/state")))

    assert caplog.text.count("is away") == 1


async def test_a_restarted_broker_loses_and_repeats_nothing(tmp_path: Path, broker: Broker) -> None:
    """Ten restarts by force: what was answered is there, nothing was executed twice, what is retained is right."""
    mqtt = {"port": broker.port, "node": NODE}
    answered: dict[str, str] = {}
    async with running_app(tmp_path, {"mqtt": mqtt, "limits": {"tasks": 200}}) as app:
        for round_ in range(10):
            async with listening(broker, "my/answers", "pongs") as sender:
                await until_back(sender)
                for number in range(6):
                    name = f"kws.bool.{round_}.{number}"
                    setup = KWS_SETUP | {"response_format": name, "kws": "alexa"}
                    await sender.request(NODE, request_id=name, work_id="kws", action="setup", data=setup)
                if round_ % 2:
                    await sender.until(partial(_has_answers, sender, f"kws.bool.{round_}."))
                answered |= {each["request_id"]: each["work_id"] for each in sender.objects_on("my/answers")}
            await broker.stop(by_force=True)
            await broker.start()

        async with tcp_client(app) as client, listening(broker, "unitd/#") as later:
            listed = (await client.ask(work_id="sys", action="lstask"))["data"]
            infos = [await client.ask(work_id=each["work_id"], action="taskinfo") for each in listed]
            made = {each["data"]["response_format"]: each["work_id"] for each in infos}
            await later.client.subscribe("pongs")
            await until_back(later)
            await later.until(lambda: {f"{BASE}/{each}/state" for each in made.values()} <= topics_of(later))

    assert len(answered) >= 30
    assert len(made) == len(listed)
    assert answered.items() <= made.items()


async def until_back(listener: Listener) -> None:
    """Returns when the daemon has found its broker again and answers."""
    while True:
        asked = await listener.request(NODE, answers="pongs", request_id="0", work_id="sys", action="ping")
        with suppress(TimeoutError):
            await listener.until(partial(_is_answered, listener, asked), limit=0.2)
            return


def _is_answered(listener: Listener, correlation: bytes) -> bool:
    return bool(listener.answers_to(correlation))


def _has_answers(listener: Listener, round_: str) -> bool:
    names = [str(each["request_id"]) for each in listener.objects_on("my/answers")]
    return sum(name.startswith(round_) for name in names) == 6


def topics_of(listener: Listener) -> set[str]:
    """Where messages came."""
    return {str(each.topic) for each in listener.messages}
