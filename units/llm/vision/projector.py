"""The projector (mmproj): llama.cpp's encoder of pictures. Only this module imports llama_cpp.mtmd_cpp.

A picture becomes chunks: text tokens that the model wants around it, and slices, which are encoded into embeddings. How
many there are follows from its size alone, so empty bitmaps tell it before any work.

An encode cannot be aborted, but a callback is asked between the nodes of its graph and may end it. It then returns 0
all the same, and what it has computed is thrown away.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import llama_cpp
import numpy as np
import numpy.typing as npt
from llama_cpp import mtmd_cpp

from units.base import LoadError
from units.llm.llama import Model, check_file, log_filter
from units.llm.vision.picture_reader import Size

Floats = npt.NDArray[np.float32]
Positions = npt.NDArray[np.int32]

# A node of a large encoder takes up to 30 ms on two cores; after as many of them it is asked whether to go on.
NODES_AT_ONCE = 2


class Slice(NamedTuple):
    """A part of a picture that is encoded by itself."""

    tokens: int
    """The number of embeddings."""

    positions: int
    """How far the position of the text after it is from its own."""

    offsets: bytes
    """The position of each embedding, from that of the slice on, in four rows (M-RoPE); b"" where they count up."""

    is_causal: bool
    """False where its embeddings see each other, so that they are decoded in one batch."""


Part = list[int] | Slice
"""Text tokens, or a slice."""


class Projector:
    """An encoder of pictures for one model. `encode` is called in one thread, the rest in any."""

    def __init__(self, path: Path, model: Model, threads: int) -> None:
        """Load the file; raise LoadError when it cannot be used with this model."""
        check_file(path)
        mtmd_cpp.mtmd_log_set(log_filter().callback, ctypes.c_void_p(0))
        mtmd_cpp.mtmd_helper_log_set(log_filter().callback, ctypes.c_void_p(0))
        log_filter().last_error = ""
        self._is_cut: Callable[[], bool] = bool
        self._nodes = 0
        params = mtmd_cpp.mtmd_context_params_default()
        params.use_gpu, params.print_timings, params.n_threads = False, False, threads
        params.cb_eval = self._callback = llama_cpp.ggml_backend_sched_eval_callback(self._goes_on)
        self._handle: Any = mtmd_cpp.mtmd_init_from_file(str(path).encode(), model.handle, params)
        if not self._handle:
            raise LoadError(
                f"{path.name} cannot be used with this model: {log_filter().last_error or 'no reason given'}"
            )
        if not mtmd_cpp.mtmd_support_vision(self._handle):
            raise LoadError(f"{path.name} has no encoder of pictures")
        self.width = int(llama_cpp.llama_model_n_embd_inp(model.handle))
        self._has_rows = bool(mtmd_cpp.mtmd_decode_use_mrope(self._handle))

    def close(self) -> None:
        """Free its memory; safe to call twice."""
        if self._handle:
            mtmd_cpp.mtmd_free(self._handle)
            self._handle = None

    def parts(self, size: Size) -> list[Part]:
        """Return the parts of a picture of this size, without any work; raise ValueError when the model takes none."""
        with self._chunks(size, None) as chunks:
            return [self._part(chunk) for chunk in chunks]

    def encode(self, size: Size, pixels: bytes, is_cut: Callable[[], bool]) -> Floats | None:
        """Return the embeddings of all slices of a picture, one row for each token; None when it was cut meanwhile.

        Raises:
            RuntimeError: llama.cpp failed.
        """
        self._is_cut = is_cut
        found = []
        with self._chunks(size, pixels) as chunks:
            for chunk in chunks:
                if mtmd_cpp.mtmd_input_chunk_get_type(chunk) != mtmd_cpp.MTMD_INPUT_CHUNK_TYPE_IMAGE:
                    continue
                if mtmd_cpp.mtmd_encode_chunk(self._handle, chunk) != 0:
                    raise RuntimeError(f"the picture cannot be encoded: {log_filter().last_error or 'no reason given'}")
                if is_cut():
                    return None
                rows = int(mtmd_cpp.mtmd_input_chunk_get_n_tokens(chunk))
                values: Any = mtmd_cpp.mtmd_get_output_embd(self._handle)
                found.append(np.ctypeslib.as_array(values, (rows, self.width)).copy())
        return np.concatenate(found)

    def _goes_on(self, _tensor: Any, is_asked: bool, _data: Any) -> bool:
        """Return whether a node's end is to be told, and there whether to go on."""
        if not is_asked:
            return not self._is_cut()
        self._nodes += 1
        return self._nodes % NODES_AT_ONCE == 0

    @contextmanager
    def _chunks(self, size: Size, pixels: bytes | None) -> Iterator[list[Any]]:
        """Provide the chunks of one picture; without pixels they can only be counted."""
        data = None if pixels is None else (ctypes.c_uint8 * len(pixels)).from_buffer_copy(pixels)
        bitmap: Any = mtmd_cpp.mtmd_bitmap_init(size.width, size.height, data)
        chunks: Any = mtmd_cpp.mtmd_input_chunks_init()
        try:
            part = mtmd_cpp.mtmd_input_part(None, bitmap)
            parts = (ctypes.POINTER(mtmd_cpp.mtmd_input_part) * 1)(ctypes.pointer(part))
            if mtmd_cpp.mtmd_tokenize_from_parts(self._handle, chunks, parts, 1, False) != 0:
                raise ValueError(f"the model takes no picture of {size.width} x {size.height} pixels")
            count = mtmd_cpp.mtmd_input_chunks_size(chunks)
            yield [mtmd_cpp.mtmd_input_chunks_get(chunks, at) for at in range(count)]
        finally:
            mtmd_cpp.mtmd_input_chunks_free(chunks)
            mtmd_cpp.mtmd_bitmap_free(bitmap)

    def _part(self, chunk: Any) -> Part:
        if mtmd_cpp.mtmd_input_chunk_get_type(chunk) == mtmd_cpp.MTMD_INPUT_CHUNK_TYPE_TEXT:
            count = ctypes.c_size_t()
            tokens: Any = mtmd_cpp.mtmd_input_chunk_get_tokens_text(chunk, ctypes.byref(count))
            # Where a vocabulary lacks a token that libmtmd writes around slices, it is -1.
            return [int(token) for token in tokens[: count.value] if token >= 0]
        return Slice(
            tokens=int(mtmd_cpp.mtmd_input_chunk_get_n_tokens(chunk)),
            positions=int(mtmd_cpp.mtmd_input_chunk_get_n_pos(chunk)),
            offsets=self._offsets(chunk) if self._has_rows else b"",
            is_causal=not mtmd_cpp.mtmd_decode_use_non_causal(self._handle, chunk),
        )

    def _offsets(self, chunk: Any) -> bytes:
        """Return the positions of a slice that begins at 0, in the order of llama.cpp's rows."""
        image = mtmd_cpp.mtmd_input_chunk_get_tokens_image(chunk)
        count = int(mtmd_cpp.mtmd_input_chunk_get_n_tokens(chunk))
        found = [mtmd_cpp.mtmd_image_tokens_get_decoder_pos(image, 0, at) for at in range(count)]
        return np.array([[each.t, each.y, each.x, each.z] for each in found], np.int32).T.tobytes()
