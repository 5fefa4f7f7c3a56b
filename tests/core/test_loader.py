"""Covers loader, checks and problems: what cannot be used is refused by its name, all of it at once."""

import dataclasses
import json
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unitd.core.config.loader import read_settings, with_environment
from unitd.core.config.problems import Problem, Problems, name_of
from unitd.core.config.schema import Settings
from unitd.wire.errors import ConfigError


def settings_of(text: str) -> Settings:
    """The settings of a TOML text."""
    return read_settings(tomllib.loads(text))


def mistakes_of(text: str) -> list[str]:
    """All that is said of a TOML text."""
    try:
        settings_of(text)
    except Problems as error:
        return [each.words for each in error.problems]
    return []


# The limits


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("tcp.port", (0, 65535)),
        ("tcp.max_connections", (1,)),
        ("http.port", (0, 65535)),
        ("mqtt.port", (1, 65535)),
        ("wyoming.port", (0, 65535)),
        ("llm.slots", (1, 64)),
        ("llm.threads", (0,)),
        ("llm.queue", (0,)),
        ("limits.tasks", (1,)),
        ("limits.frame_bytes", (1024,)),
    ],
)
def test_the_ends_of_a_range_are_in_it(key: str, values: tuple[int, ...]) -> None:
    """Both ends of a range are accepted."""
    table, name = key.split(".")

    assert [getattr(getattr(settings_of(f"{key} = {value}"), table), name) for value in values] == list(values)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tcp.port", -1),
        ("tcp.port", 65536),
        ("tcp.max_connections", 0),
        ("http.port", 65536),
        ("mqtt.port", 0),
        ("wyoming.port", -1),
        ("llm.slots", 0),
        ("llm.slots", 65),
        ("llm.context", 0),
        ("llm.threads", -1),
        ("llm.queue", -1),
        ("limits.tasks", 0),
        ("limits.frame_bytes", 10),
        ("limits.outbox_bytes", 0),
        ("limits.waiting_bytes", 0),
    ],
)
def test_a_number_out_of_range_is_refused_by_name(key: str, value: int) -> None:
    """The sentence names the key, the value and the range."""
    with pytest.raises(ConfigError, match=rf"^configuration error: {key} is {value}, it must be from \d+ to \d+$"):
        settings_of(f"{key} = {value}")


@pytest.mark.parametrize("port", [-1, 65536])
def test_an_extra_port_out_of_range_is_refused_by_name(port: int) -> None:
    """Every port of the list is checked."""
    with pytest.raises(ConfigError, match=rf"http\.extra_ports\[1\] is {port}, it must be from 0 to 65535"):
        settings_of(f"http.extra_ports = [8002, {port}]")


@pytest.mark.parametrize(
    ("key", "value"),
    [("baud", 1), ("data_bits", 9), ("stop_bits", 3), ("stop_bits", "nan"), ("parity", '"x"'), ("parity", '""')],
)
def test_a_line_that_no_port_can_have_is_refused_by_name(key: str, value: object) -> None:
    """Serial settings are checked before the port is opened."""
    with pytest.raises(ConfigError, match=f"serial.{key} is "):
        settings_of(f'[serial]\ndevice = "/dev/ttyS1"\n{key} = {value}')


# The damage


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[tpc]", "unknown key tpc, did you mean tcp?"),
        ("[tcp]\nprot = 1", "unknown key tcp.prot, did you mean port?"),
        ("[llm]\nslot = 1", "unknown key llm.slot, did you mean slots?"),
        ("[serial]\ndevice = '/dev/ttyS1'\nbaudrate = 1", "unknown key serial.baudrate, did you mean baud?"),
        ("[mqtt]\npasswordfile = 1", "unknown key mqtt.passwordfile, did you mean password_file?"),
        ("[tcp]\nxyzzy = 1", "unknown key tcp.xyzzy"),
        ('[tcp]\n"a b" = 1', 'unknown key tcp."a b"'),
        ("xyzzy = 1", "unknown key xyzzy"),
    ],
)
def test_an_unknown_key_names_a_near_one(text: str, sentence: str) -> None:
    """A slip of the finger is not ignored in silence."""
    with pytest.raises(ConfigError) as caught:
        settings_of(text)

    assert str(caught.value) == f"configuration error: {sentence}"


@pytest.mark.parametrize(
    ("text", "key", "wanted"),
    [
        ("tcp = 1", "tcp", "a table"),
        ("tcp = []", "tcp", "a table"),
        ("serial = true", "serial", "a table"),
        ("tcp.port = '1'", "tcp.port", "a whole number"),
        ("tcp.port = 1.0", "tcp.port", "a whole number"),
        ("tcp.port = true", "tcp.port", "a whole number"),
        ("tcp.host = 1", "tcp.host", "a text"),
        ("tcp.enabled = 1", "tcp.enabled", "true or false"),
        ("tcp.enabled = 'no'", "tcp.enabled", "true or false"),
        ("state.dir = 1", "state.dir", "a path"),
        ("unix.path = false", "unix.path", "a path"),
        ("models.dir = '/models'", "models.dir", "a list"),
        ("models.dir = ['/models', 1]", r"models.dir\[1\]", "a path"),
        ("http.extra_ports = 1", "http.extra_ports", "a list"),
        ("http.extra_ports = [1, '2']", r"http.extra_ports\[1\]", "a whole number"),
        ("mqtt.username = 1", "mqtt.username", "a text"),
        ("auth.tls_key = 1", "auth.tls_key", "a path"),
        ("llm.exact = 'yes'", "llm.exact", "true or false"),
        ("sys.allow = 'reboot'", "sys.allow", "a list"),
        ("sys.allow = [1]", r"sys.allow\[0\]", "a text"),
        ("serial = {device = '/dev/ttyS1', stop_bits = '1'}", "serial.stop_bits", "a number"),
        ("pipeline = 1", "pipeline", "a list"),
        ("pipeline = [1]", r"pipeline\[0\]", "a table"),
    ],
)
def test_a_wrong_type_is_refused_by_name(text: str, key: str, wanted: str) -> None:
    """The sentence names the key and what it must be."""
    with pytest.raises(ConfigError, match=f"^configuration error: {key} must be {wanted}"):
        settings_of(text)


@pytest.mark.parametrize("text", ["[serial]", "[serial]\nbaud = 9600", "[serial]\ndevice = ''"])
def test_a_serial_line_needs_a_device(text: str) -> None:
    """The one key without a default."""
    with pytest.raises(ConfigError, match=r"serial\.device is missing"):
        settings_of(text)


@pytest.mark.parametrize("memory", ["", "512", "2T", "120%"])
def test_memory_that_is_no_size_and_no_share_is_refused(memory: str) -> None:
    """With an example of each."""
    with pytest.raises(
        ConfigError, match=r"limits\.memory: .* is no size such as 512M or 2G, and no share such as 80%"
    ):
        settings_of(f"limits.memory = '{memory}'")


@pytest.mark.parametrize("level", ["loud", "DEBUG", ""])
def test_an_unknown_log_level_is_refused_with_the_choices(level: str) -> None:
    """The sentence lists what may stand there."""
    with pytest.raises(ConfigError, match=r"log\.level is .*, it must be one of debug, error, info, warning$"):
        settings_of(f"log.level = '{level}'")


@pytest.mark.parametrize("document", [None, [], 1, "text"], ids=repr)
def test_a_table_that_is_none_is_refused(document: Any) -> None:
    """Whatever a TOML value can be, the answer is a ConfigError."""
    with pytest.raises(ConfigError, match=r"tcp must be a table"):
        read_settings({"tcp": document})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[pipeline]]", "pipeline[0].name is missing"),
        ("pipeline = [{name = 'a'}, {name = 'a'}]", "pipeline[1].name is 'a', and so is pipeline[0].name"),
        ("pipeline = [{name = 'a', tasks = [{unit = 'llm'}]}]", "pipeline[0].tasks[0].name is missing"),
        ("pipeline = [{name = 'a', tasks = [{name = 'b'}]}]", "pipeline[0].tasks[0].unit is missing"),
        ("[[pipeline]]\nname = 'a'\ntask = []", "unknown key pipeline[0].task, did you mean tasks?"),
    ],
)
def test_a_pipeline_must_be_named_throughout(text: str, sentence: str) -> None:
    """Names are how its tasks find each other."""
    assert mistakes_of(text) == [sentence]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("tcp.port = 8000", ["http.port is 8000, and so is tcp.port"]),
        ("http.extra_ports = [10001, 10002]\n[wyoming]\nport = 10002", [
            "http.extra_ports[0] is 10001, and so is tcp.port",
            "wyoming.port is 10002, and so is http.extra_ports[1]",
        ]),
        ("tcp = {host = '127.0.0.1', port = 9}\nhttp = {host = '127.0.0.2', port = 9}", []),
        ("tcp = {host = '127.0.0.1', port = 9}\nhttp = {enabled = false, port = 9}", []),
        ("tcp.port = 0\nhttp.port = 0", []),
    ],
)  # fmt: skip
def test_two_doors_do_not_share_a_port(text: str, sentences: list[str]) -> None:
    """Unless each has an address of its own, or one is closed."""
    assert mistakes_of(text) == sentences


@pytest.mark.parametrize("url", ["homeassistant.local:8123", "http://homeassistant:port"])
def test_home_assistant_s_url_must_be_one(url: str) -> None:
    """Before anybody wants to switch anything."""
    assert mistakes_of(f"home.homeassistant_url = '{url}'") == [
        f"home.homeassistant_url is {url!r}, it must look like http://homeassistant.local:8123"
    ]


@pytest.mark.parametrize(
    ("languages", "sentences"),
    [
        (["en", "pt-BR", "sr-Latn"], []),
        ([], ["home.languages is empty, it must name a language, such as en"]),
        (["en", "German"], ["home.languages[1] is 'German', it must look like en or pt-BR"]),
        ([""], ["home.languages[0] is '', it must look like en or pt-BR"]),
        (["de", "en", "de"], ["home.languages[2] is 'de', and so is home.languages[0]"]),
    ],
)
def test_languages_are_tags(languages: list[str], sentences: list[str]) -> None:
    """At least one, each once."""
    assert mistakes_of(f"home.languages = {json.dumps(languages)}") == sentences


@pytest.mark.parametrize("node", ["room #1", "a+b", "a\nb", "", "/"])
def test_a_board_is_called_what_a_topic_can_hold(node: str) -> None:
    """A broker would hang up without a word."""
    assert mistakes_of(f"mqtt.node = {json.dumps(node)}") == [
        f"mqtt.node is {node!r}, it must be a part of a topic: without + and #"
    ]
    assert mistakes_of("mqtt = {node = 'Küche 2', discovery_prefix = ''}") == []


# All at once


TABLES = [each.name for each in dataclasses.fields(Settings)]
KEYS = ["port", "host", "dir", "path", "address", "name", "tasks", "unit", "data", "top_p", "exact", "extra_ports"]
NAMES = st.sampled_from([*TABLES, *KEYS, "barge_in", "stop_bits", "level", "allow", "", "a.b", "\n"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | st.integers() | st.just(10**400) | st.floats() | st.text(max_size=3) | st.datetimes(),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(NAMES, inside, max_size=4),
)


@settings(derandomize=True, deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=4) | VALUES, max_size=6))
def test_any_document_is_read_or_refused_by_its_keys(document: dict[str, Any]) -> None:
    """Whatever a TOML value can be: settings, or sentences of one line that name a key."""
    mistakes: Sequence[Problem] = ()
    try:
        read_settings(document)
    except Problems as error:
        mistakes = error.problems

    assert all(name_of(each.key) in each.words for each in mistakes)
    assert not any(len(each.words.splitlines()) > 1 for each in mistakes)


def test_every_mistake_is_told_at_once() -> None:
    """Of all kinds, in all tables."""
    assert mistakes_of(
        """
        tpc = {}
        log.level = "loud"
        llm = { slots = 0, url = "nowhere", xyzzy = 1 }
        http = { port = "8000", extra_ports = [70000, "8002"] }
        serial = {}
        sys.allow = ["fly"]
        """
    ) == [
        "unknown key tpc, did you mean tcp?",
        "log.level is 'loud', it must be one of debug, error, info, warning",
        "llm.slots is 0, it must be from 1 to 64",
        "unknown key llm.xyzzy",
        "http.port must be a whole number, it is '8000'",
        "http.extra_ports[0] is 70000, it must be from 0 to 65535",
        "http.extra_ports[1] must be a whole number, it is '8002'",
        "sys.allow[0] is 'fly', it must be one of bashexec, reboot, update, upgrade",
        "serial.device is missing",
        "llm.url is 'nowhere', it must look like http://localhost:8000",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "serial.device = 1",
        "pipeline = [1]",
        "pipeline = [{name = 1}]",
        "pipeline = [{name = 'a', tasks = [{name = 'b', unit = 1}]}]",
        "tcp.port = '8000'\nhttp.port = 10001",
    ],
)
def test_nothing_is_said_of_what_stands_in_for_a_mistake(text: str) -> None:
    """A value of the wrong type is one mistake, not also a missing value."""
    assert [each for each in mistakes_of(text) if "must be" not in each and "and so is tcp" not in each] == []


def test_other_checks_are_told_with_the_rest() -> None:
    """They see the whole tree, with defaults for what cannot be used, and are not asked about those."""

    def check(settings: Settings) -> Iterator[Problem]:
        for key in (("tcp", "port"), ("http", "port")):
            yield Problem(key, f"{key[0]} is taken, as is {settings.tcp.port}")

    with pytest.raises(Problems) as caught:
        read_settings({"tcp": {"port": "x"}}, check)

    assert [each.words for each in caught.value.problems] == [
        "tcp.port must be a whole number, it is 'x'",
        "http is taken, as is 10001",
    ]


def test_a_variable_that_is_no_number_is_refused_as_its_key() -> None:
    """Before anything is opened."""
    document = with_environment({}, {"WS_IDLE_TIMEOUT_S": "soon", "MAX_CONCURRENT_CONNECTIONS": "0"})

    with pytest.raises(Problems) as caught:
        read_settings(document)

    assert [each.words for each in caught.value.problems] == [
        "http.connections is 0, it must be from 1 to 65535",
        "http.barge_in.idle_timeout_s must be a number, it is 'soon'",
    ]


def test_a_list_of_mistakes_is_told_whole() -> None:
    """It is for a screen, not for a serial line: the words are never cut."""
    error = Problems([Problem(("a",), "a" * 500), Problem(("b",), "b is wrong", "unitd.toml:3")])

    assert str(error) == f"configuration error, 2 mistakes:\n  {'a' * 500}\n  unitd.toml:3: b is wrong"
