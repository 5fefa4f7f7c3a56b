"""Covers units.llm.vision beside libmtmd's own way of showing a picture: both say the same, word for word."""

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
import pytest
from llama_cpp import mtmd_cpp
from PIL import Image

from tests.support.models.grid_model import write_grid_model, write_grid_projector
from tests.support.models.projector import TEXT_WIDTH, Eye, write_projector
from tests.support.pictures import file_of, noise, part, text
from tests.support.units.engine_bench import BUNDLED
from tests.support.units.seeing import Seeing

TOKENS = 30
AHEAD = Eye(image_size=128, sees_ahead=True)
"""16 tokens a picture, each of four patches."""


def plain(folder: Path) -> Path:
    """Write a projector whose embeddings count like text; return the model."""
    write_projector(folder / "mmproj.gguf", TEXT_WIDTH)
    return BUNDLED


def grid(folder: Path) -> Path:
    """Write a projector whose embeddings are a grid; return the model."""
    write_grid_projector(folder / "mmproj.gguf")
    return write_grid_model(folder / "model.gguf")


def ahead(folder: Path) -> Path:
    """Write a projector whose embeddings see those after them, as Gemma 3 has them; return the model."""
    write_projector(folder / "mmproj.gguf", TEXT_WIDTH, eye=AHEAD)
    return BUNDLED


class Reference:
    """A context of its own, in which libmtmd decodes the picture."""

    def __init__(self, program: Seeing) -> None:
        self.model = program.unit._model
        assert program.unit._vision._sight is not None
        self.vision: Any = program.unit._vision._sight.projector._handle
        params = llama_cpp.llama_context_default_params()
        params.n_ctx, params.flash_attn_type = 1024, llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
        self.context: Any = llama_cpp.llama_init_from_model(self.model.handle, params)
        self.position = 0

    def read(self, tokens: Sequence[int]) -> None:
        """Decode text."""
        batch = llama_cpp.llama_batch_init(len(tokens), 0, 1)
        batch.n_tokens = len(tokens)
        for at, token in enumerate(tokens):
            batch.token[at], batch.pos[at], batch.n_seq_id[at] = token, self.position + at, 1
            batch.seq_id[at][0], batch.logits[at] = 0, at == len(tokens) - 1
        assert llama_cpp.llama_decode(self.context, batch) == 0
        llama_cpp.llama_batch_free(batch)
        self.position += len(tokens)

    def look(self, image: Image.Image) -> None:
        """Encode and decode a picture by libmtmd's helper."""
        pixels = image.tobytes()
        bitmap: Any = mtmd_cpp.mtmd_bitmap_init(*image.size, (ctypes.c_uint8 * len(pixels)).from_buffer_copy(pixels))
        picture = mtmd_cpp.mtmd_input_part(None, bitmap)
        parts = (ctypes.POINTER(mtmd_cpp.mtmd_input_part) * 1)(ctypes.pointer(picture))
        chunks: Any = mtmd_cpp.mtmd_input_chunks_init()
        assert mtmd_cpp.mtmd_tokenize_from_parts(self.vision, chunks, parts, 1, False) == 0
        after = llama_cpp.llama_pos(0)
        for at in range(mtmd_cpp.mtmd_input_chunks_size(chunks)):
            chunk: Any = mtmd_cpp.mtmd_input_chunks_get(chunks, at)
            if mtmd_cpp.mtmd_input_chunk_get_type(chunk) == mtmd_cpp.MTMD_INPUT_CHUNK_TYPE_IMAGE:
                start = self.position
                done = mtmd_cpp.mtmd_helper_eval_chunk_single(
                    self.vision, self.context, chunk, start, 0, 512, False, ctypes.byref(after)
                )
                assert done == 0
                self.position = after.value
        mtmd_cpp.mtmd_input_chunks_free(chunks)
        mtmd_cpp.mtmd_bitmap_free(bitmap)

    def say(self) -> str:
        """Return the greedy answer."""
        said = b""
        for _ in range(TOKENS):
            logits: Any = llama_cpp.llama_get_logits_ith(self.context, -1)
            token = int(np.ctypeslib.as_array(logits, (self.model.vocab_size,)).argmax())
            if self.model.ends_answer(token):
                break
            said += self.model.piece(token)
            self.read([token])
        return said.decode(errors="replace")

    def close(self) -> None:
        """Free the context."""
        llama_cpp.llama_free(self.context)


@pytest.mark.parametrize("write", [plain, grid, ahead])
def test_the_engine_shows_a_picture_as_libmtmd_does(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    """In batches of its own, at the same positions; also when most of it is in the cache."""
    image = noise(1, (140, 84))  # of this one the bundled model says something else if it is not decoded so
    program = Seeing(tmp_path, model=write(tmp_path))
    program.set_up(max_token_len=TOKENS)
    asked = [text("hello there "), part(file_of(image)), text("what is this?")]
    program.show(1, asked)
    program.run(lambda: program.generation_of("llm.1"))
    generation = program.generation_of("llm.1")
    assert generation is not None
    program.run(lambda: program.end_of("llm.1", 1))
    ours, again = program.text_of("llm.1", 1), program.answer(2, asked)
    (place,) = generation.layout.places

    reference = Reference(program)
    reference.read(generation.prompt[: place.start])
    reference.look(image)
    position = reference.position
    reference.read(generation.prompt[place.end :])
    theirs = reference.say()
    reference.close()
    program.close()

    assert place.shown.slice.is_causal == (write is not ahead)
    assert position == generation.layout.position(place.end)
    assert (position < place.end) == (write is grid)
    assert ours == again == theirs != ""
