"""Makes a smaller file of a GGUF with full weights, by llama.cpp's own quantizer.

    python -m units.llm.quantize IN OUT TYPE

A program of its own: it takes every core for minutes, and whatever a file does to the quantizer it does to this process
alone. OUT appears when it is complete. What cannot be is one sentence on stderr and status 1.
"""

import sys
from pathlib import Path

import llama_cpp

from units.base import LoadError
from units.llm.llama import log_filter

TYPES = {
    "q2_k": llama_cpp.LLAMA_FTYPE_MOSTLY_Q2_K,
    "q3_k_s": llama_cpp.LLAMA_FTYPE_MOSTLY_Q3_K_S,
    "q3_k_m": llama_cpp.LLAMA_FTYPE_MOSTLY_Q3_K_M,
    "q3_k_l": llama_cpp.LLAMA_FTYPE_MOSTLY_Q3_K_L,
    "q4_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_0,
    "q4_1": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_1,
    "q4_k_s": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_S,
    "q4_k_m": llama_cpp.LLAMA_FTYPE_MOSTLY_Q4_K_M,
    "q5_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q5_0,
    "q5_1": llama_cpp.LLAMA_FTYPE_MOSTLY_Q5_1,
    "q5_k_s": llama_cpp.LLAMA_FTYPE_MOSTLY_Q5_K_S,
    "q5_k_m": llama_cpp.LLAMA_FTYPE_MOSTLY_Q5_K_M,
    "q6_k": llama_cpp.LLAMA_FTYPE_MOSTLY_Q6_K,
    "q8_0": llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0,
    "iq4_nl": llama_cpp.LLAMA_FTYPE_MOSTLY_IQ4_NL,
    "iq4_xs": llama_cpp.LLAMA_FTYPE_MOSTLY_IQ4_XS,
    "f16": llama_cpp.LLAMA_FTYPE_MOSTLY_F16,
    "bf16": llama_cpp.LLAMA_FTYPE_MOSTLY_BF16,
}
"""The types that need no statistics of the model; q4_0 is the quickest on small boards."""

_STREAM_ERROR = "iostream error"
"""The words of C++ for a write that failed."""


def quantize(source: Path, target: Path, type_: str) -> None:
    """Write `target`, by rename; raise LoadError for an unknown type, an unsuitable model or a failed write."""
    if type_ not in TYPES:
        raise LoadError(f"there is no type {type_!r}; there is {', '.join(TYPES)}")
    if not source.is_file():
        raise LoadError(f"{source} is not there")
    if not target.parent.is_dir():
        raise LoadError(f"the folder {target.parent} is not there")
    partial = target.with_name(f".{target.name}.partial")
    try:
        partial.touch()
        _write(source, partial, type_)
        partial.replace(target)
    except OSError as error:
        raise LoadError(f"{target} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


def _write(source: Path, target: Path, type_: str) -> None:
    log_filter().last_error, log_filter().is_quiet = "", True
    llama_cpp.llama_backend_init()
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = TYPES[type_]
    if llama_cpp.llama_model_quantize(str(source).encode(), str(target).encode(), params) != 0:
        reason = log_filter().last_error.rpartition("failed to quantize: ")[2] or "no reason given"
        reason = "the disk does not take it" if _STREAM_ERROR in reason else reason
        raise LoadError(f"{source.name} cannot be made {type_}: {reason}")


def main() -> None:
    """Run the command line."""
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    source, target, type_ = sys.argv[1:]
    try:
        quantize(Path(source), Path(target), type_)
    except LoadError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
