"""llama.cpp's context: the KV cache and the decoding of batches.

`Context` is called from the engine's thread; `Alarm` is the flag with which any thread cuts a decode short.
"""

import ctypes
import os
from collections.abc import Sequence
from typing import NamedTuple

import llama_cpp
import numpy as np
import numpy.typing as npt

from units.base import LoadError
from units.llm.llama import Blend, Model
from units.llm.threads import ThreadCount

SMALL_MODEL_BYTES = 64 * 1024 * 1024
_ABORTED = 2  # llama_decode's answer when the abort callback said so


class Entry(NamedTuple):
    """One token of a batch."""

    token: int
    position: int
    sequence: int
    wants_logits: bool


class Rows(NamedTuple):
    """Embeddings of a batch, all of one sequence."""

    values: npt.NDArray[np.float32]
    positions: npt.NDArray[np.int32]
    """One for each, or four (M-RoPE): all of the first kind, then all of the second."""

    sequence: int
    wants_logits: bool
    """True when a token follows the last one."""

    is_causal: bool


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


def _useful_threads(model: Model, cores: int) -> int:
    """Return one thread for each core, but one alone for a small model.

    Threads meet after each node of the graph. In a small model that is every few microseconds: a second thread saves
    little, and when another program takes its core for a moment, all wait for it (measured beside a busy program, 7 MB
    model, two cores: 0.7 ms a token with one thread, 107 ms with two).
    """
    return 1 if model.size < SMALL_MODEL_BYTES else cores


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
        self._cores = cores
        self.leaves_core = False
        """True while a picture is encoded: a step's threads would wait for the one whose core the encoder has."""

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
        return self._decode(batch)

    def decode_rows(self, rows: Rows) -> bool:
        """Compute embeddings of a picture; return and raise as `decode` does."""
        count = len(rows.values)
        values = np.ascontiguousarray(rows.values, np.float32)  # the batch only points to what it holds
        positions = np.ascontiguousarray(rows.positions, np.int32)
        counts, logits = (ctypes.c_int32 * count)(*[1] * count), (ctypes.c_int8 * count)()
        logits[count - 1] = rows.wants_logits
        sequence = ctypes.pointer(llama_cpp.llama_seq_id(rows.sequence))
        sequences = (ctypes.POINTER(llama_cpp.llama_seq_id) * count)(*[sequence] * count)
        batch = llama_cpp.llama_batch(
            n_tokens=count,
            embd=values.ctypes.data_as(ctypes.POINTER(ctypes.c_float)),
            pos=positions.ctypes.data_as(ctypes.POINTER(llama_cpp.llama_pos)),
            n_seq_id=counts,
            seq_id=sequences,
            logits=logits,
        )
        if rows.is_causal:
            return self._decode(batch)
        llama_cpp.llama_set_causal_attn(self.handle, False)
        try:
            return self._decode(batch)
        finally:
            llama_cpp.llama_set_causal_attn(self.handle, True)

    def _decode(self, batch: llama_cpp.llama_batch) -> bool:
        threads = self._thread_count.before_decode()
        if self.leaves_core:
            threads = max(1, min(threads, self._cores - 1))
        if threads != self._threads:
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
