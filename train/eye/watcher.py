"""A text model with an eye, as llama.cpp runs both: it answers questions about a picture, greedily."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
from llama_cpp import mtmd_cpp
from PIL import Image

from train.chatml import TURN_END, TURN_START

EYE_FILE, ADAPTER_FILE = "unitd-eye.gguf", "unitd-eye-lora.gguf"
CONTEXT = 1024
MOST_TOKENS = 60
LONGEST_TOKEN = 256
Array = np.ndarray[Any, np.dtype[np.float32]]


class WatcherError(RuntimeError):
    """llama.cpp refused a file or a picture."""


def _loaded(handle: Any, path: Path) -> Any:
    if not handle:
        raise WatcherError(f"llama.cpp cannot load {path}")
    return handle


class Vocabulary:
    """A model file, or its vocabulary alone, and how llama.cpp splits texts for it."""

    def __init__(self, path: Path, *, is_alone: bool = True) -> None:
        _silence()
        params = llama_cpp.llama_model_default_params()
        params.vocab_only = is_alone
        self.model = _loaded(llama_cpp.llama_model_load_from_file(str(path).encode(), params), path)
        self.handle = llama_cpp.llama_model_get_vocab(self.model)

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text; the marks of the frame are tokens of their own."""
        raw = text.encode()
        room = (llama_cpp.llama_token * (len(raw) + 8))()
        number = llama_cpp.llama_tokenize(self.handle, raw, len(raw), room, len(room), False, True)
        return list(room[:number])

    def text(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens, without the marks of the frame."""
        room = ctypes.create_string_buffer(LONGEST_TOKEN)
        sizes = (llama_cpp.llama_token_to_piece(self.handle, token, room, LONGEST_TOKEN, 0, False) for token in tokens)
        return b"".join(room.raw[:size] for size in sizes).decode(errors="replace")


class Watcher:
    """Loads the files once; one thread, because the networks are so small."""

    def __init__(self, text_model: Path, eye: Path, adapter: Path | None = None) -> None:
        self._vocabulary = Vocabulary(text_model, is_alone=False)
        self._model, self._vocab = self._vocabulary.model, self._vocabulary.handle
        self._width = llama_cpp.llama_model_n_embd(self._model)
        params = llama_cpp.llama_context_default_params()
        params.n_ctx, params.n_threads, params.n_threads_batch = CONTEXT, 1, 1
        self._context = _loaded(llama_cpp.llama_init_from_model(self._model, params), text_model)
        if adapter is not None:
            self._use(adapter)
        sight = mtmd_cpp.mtmd_context_params_default()
        sight.use_gpu, sight.print_timings, sight.n_threads, sight.warmup = False, False, 1, False
        self._sight = _loaded(mtmd_cpp.mtmd_init_from_file(str(eye).encode(), self._model, sight), eye)

    def _use(self, path: Path) -> None:
        handle = _loaded(llama_cpp.llama_adapter_lora_init(self._model, str(path).encode()), path)
        handles = (llama_cpp.llama_adapter_lora_p_ctypes * 1)(handle)
        llama_cpp.llama_set_adapters_lora(self._context, handles, 1, (ctypes.c_float * 1)(1.0))

    def close(self) -> None:
        """Free the memory of all of it."""
        mtmd_cpp.mtmd_free(self._sight)
        llama_cpp.llama_free(self._context)
        llama_cpp.llama_model_free(self._model)

    def embeddings(self, image: Image.Image) -> Array:
        """Return the embeddings ``(tokens, width)`` of a picture."""
        pixels = image.convert("RGB")
        data = np.asarray(pixels)
        pointer = data.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
        bitmap = mtmd_cpp.mtmd_bitmap_init(*pixels.size, pointer)
        chunks = mtmd_cpp.mtmd_input_chunks_init()
        try:
            return self._encode(chunks, bitmap)
        finally:
            mtmd_cpp.mtmd_input_chunks_free(chunks)
            mtmd_cpp.mtmd_bitmap_free(bitmap)

    def _encode(self, chunks: Any, bitmap: Any) -> Array:
        marker = mtmd_cpp.mtmd_default_marker()
        text = mtmd_cpp.mtmd_input_text(marker, len(marker), False, True)
        bitmaps = (mtmd_cpp.mtmd_bitmap_p_ctypes * 1)(bitmap)
        if mtmd_cpp.mtmd_tokenize(self._sight, chunks, ctypes.byref(text), bitmaps, 1) != 0:
            raise WatcherError("llama.cpp cannot split the picture")
        chunk = mtmd_cpp.mtmd_input_chunks_get(chunks, 0)
        if mtmd_cpp.mtmd_encode_chunk(self._sight, chunk) != 0:
            raise WatcherError("llama.cpp cannot encode the picture")
        number = mtmd_cpp.mtmd_input_chunk_get_n_tokens(chunk)
        output = mtmd_cpp.mtmd_get_output_embd(self._sight)
        return np.ctypeslib.as_array(output, (number, self._width)).copy()

    def _decode_text(self, tokens: list[int]) -> None:
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        if llama_cpp.llama_decode(self._context, llama_cpp.llama_batch_get_one(array, len(tokens))) != 0:
            raise WatcherError("llama.cpp cannot decode the text")

    def _decode_picture(self, picture: Array, position: int) -> None:
        batch = llama_cpp.llama_batch_init(len(picture), self._width, 1)
        batch.n_tokens = len(picture)
        ctypes.memmove(batch.embd, picture.ctypes.data, picture.nbytes)
        for number in range(len(picture)):
            batch.pos[number], batch.n_seq_id[number], batch.seq_id[number][0] = position + number, 1, 0
            batch.logits[number] = 0
        status = llama_cpp.llama_decode(self._context, batch)
        llama_cpp.llama_batch_free(batch)
        if status != 0:
            raise WatcherError("llama.cpp cannot decode the picture")

    def read(self, picture: Array, asked: str) -> Array:
        """Return the scores of the first token of an answer to a question about a picture, given its embeddings."""
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self._context), True)
        head = self._vocabulary.tokens(f"{TURN_START}user\n")
        self._decode_text(head)
        self._decode_picture(picture, len(head))
        self._decode_text(self._vocabulary.tokens(f"{asked}{TURN_END}\n{TURN_START}assistant\n"))
        return self._scores()

    def _scores(self) -> Array:
        size = llama_cpp.llama_vocab_n_tokens(self._vocab)
        return np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(self._context, -1), (size,)).copy()

    def answer(self, picture: Array, asked: str) -> str:
        """Return the greedy answer to a question about a picture, given its embeddings."""
        scores = self.read(picture, asked)
        answer: list[int] = []
        while len(answer) < MOST_TOKENS:
            token = int(scores.argmax())
            if llama_cpp.llama_vocab_is_eog(self._vocab, token):
                break
            answer.append(token)
            self._decode_text([token])
            scores = self._scores()
        return self._vocabulary.text(answer)


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]  # llama_cpp's has no types
def _ignore(level: int, text: bytes, data: ctypes.c_void_p) -> None:
    """Take a line of llama.cpp's log."""


def _silence() -> None:
    llama_cpp.llama_log_set(_ignore, ctypes.c_void_p(0))
    mtmd_cpp.mtmd_log_set(_ignore, ctypes.c_void_p(0))
