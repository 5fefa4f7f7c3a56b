"""Covers session and framing under damage: whatever comes, there are requests and refusals, and the talk goes on."""

import random
from collections.abc import Iterable
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.damage import VALID, Damage, damaged, delete, flip, insert, replace, sliced
from unitd.wire.messages import Reply, Request
from unitd.wire.session import Session

FUZZ = settings(derandomize=True, deadline=None, max_examples=300)

REFUSALS = {-2, -10, -23, -24, -25}
"""Every code that a session may answer with by itself."""

LAST = {"request_id": "the last", "work_id": "llm.1002", "action": "inference", "object": "llm.utf-8", "data": "}🙂{"}
LAST_REQUEST = Request("the last", "llm.1002", "inference", "llm.utf-8", "}🙂{")


Outcome = Request | Reply


def outcomes(session: Session, pieces: Iterable[bytes]) -> list[Outcome]:
    """All that a session makes of these packets."""
    return [outcome for piece in pieces for outcome in session.receive_data(piece)]


def goodbye(session: Session) -> list[Outcome]:
    """What the session says to a silence, then to one more valid request."""
    dropped = session.drop_incomplete()
    return ([] if dropped is None else [dropped]) + outcomes(session, [orjson.dumps(LAST)])


def refusals(found: Iterable[Outcome]) -> list[Reply]:
    """The replies among the outcomes."""
    return [outcome for outcome in found if isinstance(outcome, Reply)]


def is_line(line: bytes, reply: Reply) -> bool:
    """True for one line of JSON that carries the reply's code."""
    return bool(line.endswith(b"\n") and line.count(b"\n") == 1 and orjson.loads(line)["error"]["code"] == reply.code)


def damaged_talk(seed: int) -> tuple[Session, list[Outcome]]:
    """A talk of a few valid requests with one to five damages, over random slices."""
    rng = random.Random(seed)
    stream = damaged(rng.choices(VALID, k=rng.randint(1, 8)), rng)
    session = Session(limit_bytes=rng.choice((300, 100_000)), is_ascii=rng.random() < 0.5)
    return session, outcomes(session, sliced(stream, rng))


# Ten thousand damaged streams

TALKS = 500


@pytest.mark.parametrize("group", range(20))
def test_damage_costs_refusals_and_never_the_talk(group: int) -> None:
    """Five hundred damaged talks: only requests and known refusals come out, and then the next request is served."""
    talks = [damaged_talk(seed) for seed in range(group * TALKS, (group + 1) * TALKS)]
    refused = [(session, reply) for session, found in talks for reply in refusals(found)]

    ends = [goodbye(session) for session, _ in talks]

    assert {reply.code for _, reply in refused} <= REFUSALS
    assert all(is_line(session.encode(reply, 1), reply) for session, reply in refused)
    assert [end[-1] for end in ends] == [LAST_REQUEST] * TALKS
    assert {reply.code for end in ends for reply in refusals(end)} <= {-2}


FLAT = [
    b'{"request_id":"%d","work_id":"llm.1002","action":"inference","object":"llm.utf-8","data":"hello"}\n' % number
    for number in range(30)
]


def after_one_damage(damage: Damage, seed: int) -> list[Outcome]:
    """What becomes of thirty requests that end in newlines."""
    rng = random.Random(seed)
    stream = bytearray(b"".join(FLAT))
    damage(stream, rng)
    session = Session()
    return outcomes(session, sliced(bytes(stream), rng)) + goodbye(session)


@pytest.mark.parametrize("damage", [flip, replace, insert, delete], ids=lambda damage: damage.__name__)
def test_one_bad_byte_costs_at_most_two_requests(damage: Damage) -> None:
    """A byte can cut an object in two, and then both halves are refused, or join two to one; never more."""
    talks = [after_one_damage(damage, seed) for seed in range(200)]

    assert max(len(refusals(talk)) for talk in talks) <= 2
    assert min(len(talk) - len(refusals(talk)) for talk in talks) >= len(FLAT) - 2 + len([LAST])


# Whatever hypothesis thinks of

fragments = st.one_of(
    st.sampled_from(VALID),
    st.sampled_from(
        [b"{", b"}", b'"', b"\\", b":", b",", b"\n", b'{"RAW":', b'{"RAW":5}', b'"data":', b"[", b"]", b"9"]
    ),
    st.binary(max_size=30),
)
streams = st.lists(fragments, max_size=12).map(b"".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc{}\"'\\é", max_size=4), inner, max_size=3),
    max_leaves=8,
)


@FUZZ
@given(streams, st.randoms(use_true_random=False))
def test_any_bytes_end_in_requests_and_refusals(stream: bytes, rng: random.Random) -> None:
    """Nothing is raised, and what is answered can be sent."""
    session = Session(limit_bytes=1000, is_ascii=True)

    refused = refusals(outcomes(session, sliced(stream, rng)))

    assert {reply.code for reply in refused} <= REFUSALS
    assert all(is_line(session.encode(reply, 1), reply) for reply in refused)
    assert goodbye(session)[-1] == LAST_REQUEST


@FUZZ
@given(streams, st.randoms(use_true_random=False))
def test_slicing_changes_nothing(stream: bytes, rng: random.Random) -> None:
    """The same bytes mean the same in one packet and in many."""
    at_once = outcomes(Session(), [stream])

    assert outcomes(Session(), sliced(stream, rng)) == at_once


@FUZZ
@given(values, st.randoms(use_true_random=False))
def test_any_value_arrives_as_it_was_sent(value: Any, rng: random.Random) -> None:
    """What a setup carries is not touched."""
    sent = orjson.dumps({"data": value, "action": "setup", "work_id": "llm", "request_id": "{"})

    assert outcomes(Session(), sliced(sent * 2, rng)) == [Request("{", "llm", "setup", data=value)] * 2
