"""Coverage-guided fuzzing of the code that reads bytes: the framing and the session of unitd.wire.

    pip install atheris
    python -m bench.guided [-runs=1000000] [-seed=1] [CORPUS]

The options are libFuzzer's own. Any bytes, in any slices, must result in requests and refusals; then the next valid
request must be served. libFuzzer writes an input that breaks this to a file and ends the run.
"""

import sys

import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]

with atheris.instrument_imports(include=["unitd.wire"]):
    from unitd.wire.messages import Reply, Request
    from unitd.wire.session import Session

from bench.damage import VALID

LAST = b'{"request_id":"the last","work_id":"sys","action":"ping"}'
REFUSALS = {-2, -10, -23, -24, -25}
LONGEST_SLICE = 64


def try_one(data: bytes) -> None:
    """Run one connection; the first bytes decide its slices and limits."""
    provider = atheris.FuzzedDataProvider(data)
    session = Session(limit_bytes=provider.ConsumeIntInRange(100, 2000), is_ascii=provider.ConsumeBool())
    is_whole = provider.ConsumeBool()
    while provider.remaining_bytes():
        piece = provider.ConsumeBytes(provider.ConsumeIntInRange(1, LONGEST_SLICE))
        for meaning in session.receive_message(piece) if is_whole else session.receive_data(piece):
            check(session, meaning)
    session.drop_incomplete()
    *_, last = session.receive_data(LAST)
    if not isinstance(last, Request) or last.request_id != "the last":
        raise AssertionError(f"the last request became {last}")


def check(session: Session, meaning: Request | Reply) -> None:
    """Check that a refusal has a code of the session and can be sent as one line."""
    if isinstance(meaning, Reply):
        line = session.encode(meaning, 1)
        if meaning.code not in REFUSALS or line.count(b"\n") != 1:
            raise AssertionError(f"{meaning} became {line!r}")


def main() -> None:
    """Start libFuzzer; never return."""
    for valid in VALID:
        try_one(valid)
    atheris.Setup(sys.argv, try_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
