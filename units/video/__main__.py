"""Reads one video: pictures of it as JPEG, and its sound as PCM.

    stdin   {"type": "read", "frames": 16, "stack": 1, "in_pieces": false, "length": …}\n<the file>
    stdout  {"type": "frame", "at": 0.0, "length": …}\n<JPEG>            each picture, in the order of time
            {"type": "sound", "at": 0.0, "length": …}\n<16-bit PCM>      the sound; in pieces, if that was asked for
            {"type": "end", "seconds": 4.0}                              or "refusal" with the `words` and a `cause`

A hostile file costs this process, which has limits of memory and of time before the first library is loaded.
"""

import importlib.util
import os
import resource
import sys

from unitd.wire.envelope import Envelope, EnvelopeReader, encode_envelope
from unitd.wire.videos import DECODE_BYTES, DECODE_SECONDS
from units import confined

MISSING = "videos need PyAV: pip install 'unitd[vision]'"

# The answers of the models beside it come first.
NICENESS = 10


def main() -> None:
    """Read the video on stdin."""
    confined.limit_memory(DECODE_BYTES)
    confined.limit_time(DECODE_SECONDS)
    for limit in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
        resource.setrlimit(limit, (0, 0))
    os.nice(NICENESS)
    order = next(EnvelopeReader().feed(sys.stdin.buffer.read()))
    for answer in _answers(order):
        sys.stdout.buffer.write(encode_envelope(answer))


def _answers(order: Envelope) -> list[Envelope]:
    if importlib.util.find_spec("av") is None:
        return [Envelope("refusal", {"words": MISSING, "is_missing": True})]
    from units.video.demuxer import BadVideo, read

    try:
        return read(order.payload, **order.fields)
    except BadVideo as error:
        return [_refusal(str(error), error)]
    except MemoryError as error:
        return [_refusal(f"it takes more than {DECODE_BYTES >> 20} MiB", error)]
    except Exception as error:  # the libraries raise whatever their code stumbles over
        return [_refusal("it is damaged", error)]


def _refusal(words: str, error: BaseException) -> Envelope:
    return Envelope("refusal", {"words": words, "cause": repr(error.__cause__ or error)})


if __name__ == "__main__":
    main()
