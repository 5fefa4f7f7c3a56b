"""llama.cpp's models through llama-cpp-python's low-level API.

`Model` is the weights and the tokenizer, `Adapter` a small correction of them (LoRA). Only this module, `context`,
`sampling`, `quantize` and `vision.projector` import llama_cpp.
"""

import ctypes
import mmap
import os
import sys
from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import llama_cpp

from units.base import LoadError
from units.llm.tools import CALL_MARKS

VERSION = str(llama_cpp.__version__)
_WARN, _ERROR = 3, 4  # ggml_log_level
# An expected warning for each tensor of an adapter: only its base is computed from rearranged weights.
_REPACKED = "cannot use buft"


class _LogFilter:
    """Writes warnings and errors of llama.cpp to stderr; the last error explains a failed load."""

    def __init__(self) -> None:
        self.last_error = ""
        self.is_quiet = False
        """True when only the last error is wanted."""

        self.callback = llama_cpp.llama_log_callback(self._write)
        llama_cpp.llama_log_set(self.callback, ctypes.c_void_p(0))

    def _write(self, level: int, text: bytes, _: Any) -> None:
        if level not in (_WARN, _ERROR):
            return
        line = text.decode(errors="replace")
        if level == _ERROR:
            self.last_error = line.strip()
        if _REPACKED not in line and not self.is_quiet:
            sys.stderr.write(line)


@lru_cache(maxsize=1)
def log_filter() -> _LogFilter:
    """Return the one filter of the process: llama.cpp keeps calling the last one that it was given."""
    return _LogFilter()


class Model:
    """Weights and vocabulary, mapped from a GGUF file."""

    def __init__(self, path: str, on_progress: Callable[[float], None]) -> None:
        """Load the file; `on_progress` gets 0..1. Raise LoadError when it cannot be used as a text model."""
        check_file(Path(path))
        llama_cpp.llama_backend_init()
        log_filter().last_error = ""
        params = llama_cpp.llama_model_default_params()

        def report(fraction: float, _: Any) -> bool:
            on_progress(fraction)
            return True

        self._progress = llama_cpp.llama_progress_callback(report)
        params.progress_callback = self._progress
        self.handle = llama_cpp.llama_model_load_from_file(path.encode(), params)
        if not self.handle:
            raise LoadError(f"{Path(path).name} cannot be loaded: {log_filter().last_error or 'no reason given'}")
        _let_go_of(path)
        self.vocab = llama_cpp.llama_model_get_vocab(self.handle)
        self.vocab_size = int(llama_cpp.llama_vocab_n_tokens(self.vocab))
        if llama_cpp.llama_model_has_encoder(self.handle) or self.vocab_size == 0:
            raise LoadError(f"{Path(path).name} is no text generation model with a tokenizer")

    @property
    def about(self) -> str:
        """Return the size of the model, for the log."""
        parameters = llama_cpp.llama_model_n_params(self.handle) / 1e6
        return f"{parameters:.1f} M parameters, {self.size / 2**20:.1f} MiB"

    @property
    def size(self) -> int:
        """Return the bytes of all weights."""
        return int(llama_cpp.llama_model_size(self.handle))

    @property
    def matrix_weights(self) -> int:
        """Return the number of weights by which each token of a prompt is multiplied: all but the vocabulary."""
        table = int(llama_cpp.llama_model_n_embd(self.handle)) * self.vocab_size
        return int(llama_cpp.llama_model_n_params(self.handle)) - table

    @property
    def chat_template(self) -> str | None:
        """Return the Jinja template in the file, None if it has none."""
        text = llama_cpp.llama_model_chat_template(self.handle, None)
        return text.decode(errors="replace") if text else None

    def tokenize(self, text: str, *, parse_special: bool, add_special: bool = False) -> list[int]:
        """Return the tokens of a text; with `parse_special` control tokens in it count as such.

        With `add_special` the text begins as the model wants texts to begin; chat templates do that themselves.
        """
        data = text.encode()
        # A token is at least one byte; models that want a BOS or EOS add at most two.
        room = len(data) + 2
        tokens = (llama_cpp.llama_token * room)()
        count = llama_cpp.llama_tokenize(self.vocab, data, len(data), tokens, room, add_special, parse_special)
        if count < 0:
            raise ValueError(f"the tokenizer wants room for {-count} tokens")
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """Return the bytes of a token; control tokens have none, except the marks of a call."""
        return self._piece(token, is_special=token in self._call_marks)

    @cached_property
    def _call_marks(self) -> frozenset[int]:
        """Return the marks of a call, in vocabularies that have a token for each."""
        marks = [self.tokenize(mark, parse_special=True) for mark in CALL_MARKS]
        return frozenset(mark[0] for mark in marks if len(mark) == 1)

    @cached_property
    def byte_tokens(self) -> dict[int, int]:
        """Return the token of each byte alone; most vocabularies have one for each byte."""
        pieces = ((self._piece(token, is_special=False), token) for token in range(self.vocab_size))
        return {piece[0]: token for piece, token in pieces if len(piece) == 1}

    def special_text(self, token: int) -> str:
        """Return how a template writes a control token."""
        return self._piece(token, is_special=True).decode(errors="replace") if token >= 0 else ""

    @lru_cache(maxsize=8192)  # noqa: B019 - one model per process, it lives as long as the program
    def _piece(self, token: int, *, is_special: bool) -> bytes:
        buffer = ctypes.create_string_buffer(256)
        length = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, 256, 0, is_special)
        return buffer.raw[: max(length, 0)]

    @property
    def bos(self) -> str:
        """Return the text of the token that begins a prompt, "" if there is none."""
        return self.special_text(llama_cpp.llama_vocab_bos(self.vocab))

    @property
    def eos(self) -> str:
        """Return the text of the token that ends an answer."""
        return self.special_text(llama_cpp.llama_vocab_eos(self.vocab))

    def control_texts(self) -> list[str]:
        """Return the spellings of all control tokens, which a user must not be able to write."""
        return [
            self.special_text(token)
            for token in range(self.vocab_size)
            if llama_cpp.llama_vocab_is_control(self.vocab, token)
        ]

    @cached_property
    def end_tokens(self) -> frozenset[int]:
        """Return the tokens for end of turn and end of text, under all their names."""
        return frozenset(token for token in range(self.vocab_size) if self.ends_answer(token))

    def turn_end(self, token: int) -> str:
        """Return how the template writes the end of a turn; "" for the end of the text itself."""
        is_text_end = token == llama_cpp.llama_vocab_eos(self.vocab) and token != llama_cpp.llama_vocab_eot(self.vocab)
        return "" if is_text_end else self.special_text(token)

    def ends_answer(self, token: int) -> bool:
        """Return True for end of turn and end of text."""
        return bool(llama_cpp.llama_vocab_is_eog(self.vocab, token))


class Adapter:
    """A LoRA: two thin matrices for some of a model's large ones, added to them by the task's choice.

    Two adapters of the same unchanged file are equal: what was computed with one is valid for the other.
    """

    def __init__(self, model: Model, path: Path, identity: str) -> None:
        """Load the file; raise LoadError when it cannot be used, or acts only from certain words on."""
        check_file(path)
        self.identity = identity
        log_filter().last_error = ""
        self.handle = llama_cpp.llama_adapter_lora_init(model.handle, str(path).encode())
        if not self.handle:
            reason = log_filter().last_error.partition(": ")[2] or "no reason given"
            raise LoadError(f"{path.name} cannot be used with this model: {reason}")
        if llama_cpp.llama_adapter_get_alora_n_invocation_tokens(self.handle):
            self.close()
            raise LoadError(f"{path.name} is an activated LoRA, which acts from certain words on; only plain ones work")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Adapter) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def close(self) -> None:
        """Free its memory; no context may use it any more."""
        llama_cpp.llama_adapter_lora_free(self.handle)
        # glibc holds back what is smaller than 32 MiB: loaded and freed five times, one of 8 MiB had taken 40.
        if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
            trim(0)


Blend = tuple[tuple[Adapter, float], ...]
"""The adapters that are added to the weights, each with its scale; () for the bare model."""


def check_file(path: Path) -> None:
    """Check what llama.cpp would only find out by filling the memory, or reports less clearly.

    Raises:
        LoadError: the file is missing, is no GGUF, or is larger than the memory of this board.
    """
    if not path.is_file():
        raise LoadError(f"{path} is not there")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if path.stat().st_size > memory:
        raise LoadError(f"{path.name} has {path.stat().st_size >> 20} MiB, this board has {memory >> 20} MiB of memory")
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise LoadError(f"{path.name} is no GGUF file")


def _let_go_of(path: str) -> None:
    """Drop a mapped file's pages from this process; pages that are used come back from the kernel's cache.

    llama.cpp has read all of the file, and computes with rearranged copies of much of it (Q4_0 on most processors):
    without this a 0.5B model would hold 155 MiB that are never read again. The first token takes 10 ms longer, once.
    """
    libc, name = ctypes.CDLL(None), os.path.realpath(path)
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith(f" {name}"):
            start, end = (int(address, 16) for address in line.split(maxsplit=1)[0].split("-"))
            libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), mmap.MADV_DONTNEED)
