"""llama.cpp through llama-cpp-python's low-level API: only this module, `sampling` and `quantize` import llama_cpp.

`Model` is the weights and the tokenizer, `Adapter` a small correction of them (LoRA), `Context` the KV cache and the
decoding, `Alarm` the flag that cuts a decode short. Everything is called from the engine's thread, except `Alarm.ring`.
"""

import ctypes
import mmap
import os
import sys
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import llama_cpp

from units.base import LoadError
from units.llm.threads import ThreadCount
from units.llm.tools import CALL_MARKS

VERSION = str(llama_cpp.__version__)
_WARN, _ERROR = 3, 4  # ggml_log_level
SMALL_MODEL_BYTES = 64 * 1024 * 1024
# An expected warning for each tensor of an adapter: only its base is computed from rearranged weights.
_REPACKED = "cannot use buft"
_ABORTED = 2  # llama_decode's answer when the abort callback said so


class Entry(NamedTuple):
    """One token of a batch."""

    token: int
    position: int
    sequence: int
    wants_logits: bool


class Alarm:
    """A flag that any thread sets and llama.cpp reads between two nodes of its graph.

    The callback is libc's strlen over a two-byte buffer: 0 while its first byte is zero, 1 (true) once it is not. A
    Python callback would take the interpreter's lock for each of some hundred nodes of every token.
    """

    def __init__(self) -> None:
        self._flag = ctypes.create_string_buffer(2)
        self.callback = ctypes.cast(ctypes.CDLL(None).strlen, llama_cpp.ggml_abort_callback)
        self.address = ctypes.addressof(self._flag)

    def ring(self) -> None:
        """End the running decode soon, and the next one too."""
        self._flag[0] = b"\x01"

    def silence(self) -> None:
        """Let decoding go on."""
        self._flag[0] = b"\x00"


class _LogFilter:
    """Writes warnings and errors of llama.cpp to stderr; the last error explains a failed load."""

    def __init__(self) -> None:
        self.last_error = ""
        self.is_quiet = False
        """True when only the last error is wanted."""

        self._callback = llama_cpp.llama_log_callback(self._write)
        llama_cpp.llama_log_set(self._callback, ctypes.c_void_p(0))

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
        _check_file(Path(path))
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
        _check_file(path)
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


def _useful_threads(model: Model, cores: int) -> int:
    """Return one thread for each core, but one alone for a small model.

    Threads meet after each node of the graph. In a small model that is every few microseconds: a second thread saves
    little, and when another program takes its core for a moment, all wait for it (measured beside a busy program, 7 MB
    model, two cores: 0.7 ms a token with one thread, 107 ms with two).
    """
    return 1 if model.size < SMALL_MODEL_BYTES else cores


def _check_file(path: Path) -> None:
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


class Context:
    """The KV cache of `slots` sequences and the decoding of batches."""

    def __init__(self, model: Model, alarm: Alarm, *, slots: int, context: int, threads: int, exact: bool) -> None:
        """Allocate `context` tokens for each of `slots` sequences; raise LoadError when there is not enough memory."""
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = context * slots
        params.n_seq_max = slots
        cores = len(os.sched_getaffinity(0))
        most = threads or _useful_threads(model, cores)
        params.n_threads = params.n_threads_batch = self._threads = most
        self._thread_count = ThreadCount(most, cores)
        params.kv_unified = False
        params.no_perf = True
        # Flash attention computes in another order for other batch sizes: greedy text would depend on other answers.
        params.flash_attn_type = (
            llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED if exact else llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO
        )
        self.handle = llama_cpp.llama_init_from_model(model.handle, params)
        if not self.handle:
            raise LoadError(f"no memory for {slots} sequences of {context} tokens ([llm] slots, context)")
        self._memory = llama_cpp.llama_get_memory(self.handle)
        self.batch_size = int(params.n_ubatch)
        self.context = int(llama_cpp.llama_n_ctx_seq(self.handle))
        self._batch = llama_cpp.llama_batch_init(self.batch_size, 0, 1)
        self._blend: Blend = ()
        self._alarm = alarm  # the callback's memory must outlive the context
        llama_cpp.llama_set_abort_callback(self.handle, alarm.callback, ctypes.c_void_p(alarm.address))

    def close(self) -> None:
        """Free the cache's memory; safe to call twice."""
        if self.handle:
            llama_cpp.llama_batch_free(self._batch)
            llama_cpp.llama_free(self.handle)
            self.handle = None

    def use(self, blend: Blend) -> None:
        """Compute with these adapters from now on; a change takes 3 ms with a 0.5B model.

        Raises:
            RuntimeError: llama.cpp refuses them.
        """
        if blend == self._blend:
            return
        handles = (llama_cpp.llama_adapter_lora_p_ctypes * len(blend))(*(adapter.handle for adapter, _ in blend))
        scales = (ctypes.c_float * len(blend))(*(scale for _, scale in blend))
        if llama_cpp.llama_set_adapters_lora(self.handle, handles, len(blend), scales) != 0:
            raise RuntimeError("llama.cpp does not take the adapters")
        self._blend = blend

    def decode(self, entries: Sequence[Entry]) -> bool:
        """Compute one batch; return False when the alarm cut it short and the cache may hold any part of it.

        Raises:
            RuntimeError: llama.cpp failed; the cache may hold any part of the batch.
        """
        batch = self._batch
        batch.n_tokens = len(entries)
        for at, entry in enumerate(entries):
            batch.token[at] = entry.token
            batch.pos[at] = entry.position
            batch.n_seq_id[at] = 1
            batch.seq_id[at][0] = entry.sequence
            batch.logits[at] = entry.wants_logits
        if (threads := self._thread_count.before_decode()) != self._threads:
            llama_cpp.llama_set_n_threads(self.handle, threads, threads)
            self._threads = threads
        status = llama_cpp.llama_decode(self.handle, batch)
        self._thread_count.after_decode()
        if status not in (0, _ABORTED):
            raise RuntimeError(f"llama_decode answered {status}")
        return bool(status == 0)

    def forget(self, sequence: int, start: int = 0) -> bool:
        """Drop positions from `start` on; return False when this model can only forget a whole sequence."""
        return bool(llama_cpp.llama_memory_seq_rm(self._memory, sequence, start, -1))

    def copy(self, source: int, target: int) -> None:
        """Copy one sequence into an empty one, at once.

        llama.cpp's own copy moves the whole buffer, used or not, and only with the next batch: a sequence that is
        restored into one of the two before that would be lost, or copied.
        """
        self.restore(target, self.save(source))

    def save(self, sequence: int) -> bytearray:
        """Return the cache of one sequence."""
        state = bytearray(llama_cpp.llama_state_seq_get_size(self.handle, sequence))
        content = (ctypes.c_uint8 * len(state)).from_buffer(state)  # without a copy, as it may be large
        llama_cpp.llama_state_seq_get_data(self.handle, content, len(state), sequence)
        return state

    def restore(self, sequence: int, state: bytearray) -> None:
        """Put a saved cache into an empty sequence; raise RuntimeError when it does not fit."""
        content = (ctypes.c_uint8 * len(state)).from_buffer(state)
        if llama_cpp.llama_state_seq_set_data(self.handle, content, len(state), sequence) == 0:
            raise RuntimeError("a saved sequence could not be restored")
