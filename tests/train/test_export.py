"""A miniature model goes the whole way: trained, exported, quantized, and llama.cpp computes the same."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

HOW = "needs the training packages: pip install -e .[train]"
torch = pytest.importorskip("torch", reason=HOW)
gguf = pytest.importorskip("gguf", reason=HOW)
pytest.importorskip("tokenizers", reason=HOW)

import llama_cpp  # noqa: E402  # the imports below need what the lines above may skip
import numpy as np  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

from train.batches import stream_batches  # noqa: E402
from train.chatml import SPECIAL_TOKENS, render_prompt  # noqa: E402
from train.config import ModelShape, Recipe  # noqa: E402
from train.corpus.base import Message  # noqa: E402
from train.corpus.dialogue import stream  # noqa: E402
from train.evaluate import DEFAULT_FILE, Speaker  # noqa: E402
from train.export import export_model, write_gguf  # noqa: E402
from train.fit import batch_loss, train_model  # noqa: E402
from train.model import Decoder  # noqa: E402
from train.tokenizer import ChatEncoder, make_tokenizer, train_tokenizer  # noqa: E402

SHAPE = ModelShape(vocab=768, width=64, layers=2, heads=2, kv_heads=1, hidden=96)
RECIPE = replace(Recipe(), steps=6, batch_tokens=1024, warmup=1, checkpoint_every=3)
TEXTS = (
    "Turn on the kitchen light, please!",
    "What's 12+7? It's 19... isn't it",
    "Zoë's café 🎂 in 日本語\n\n  two spaces\tand a tab ",
    '{"name": "turn_on", "arguments": {"entity": "kitchen light"}}',
    "DON'T SHOUT 👋🏽 ½ 3.14 €",
)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    talks = islice(stream(1), 400)
    return train_tokenizer([m.content for talk in talks for m in talk], SHAPE.vocab)


@pytest.fixture(scope="module")
def model(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    batches = stream_batches(stream(1), ChatEncoder(tokenizer), RECIPE)
    checkpoint = tmp_path_factory.mktemp("fit") / "checkpoint.pt"
    return train_model(SHAPE, RECIPE, batches, checkpoint)[0]


def _logits(path: Path, ids: list[int]) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    llama = llama_cpp.Llama(str(path), n_ctx=256, n_threads=2, logits_all=True, verbose=False)
    llama.eval(ids)
    return np.array(llama.scores[: len(ids)])


def _worst_difference(model: Decoder, path: Path, ids: list[int]) -> float:
    ours = model(torch.tensor([ids])).detach().numpy()[0]
    return float(np.abs(_logits(path, ids) - ours).max() / np.abs(ours).max())


def test_llama_cpp_computes_the_same(model: Decoder, tokenizer: Tokenizer, tmp_path: Path) -> None:
    ids = tokenizer.encode(render_prompt([Message("user", text) for text in TEXTS])).ids
    full, small = tmp_path / "full.gguf", tmp_path / "small.gguf"
    write_gguf(model, tokenizer, full)
    export_model(model, tokenizer, small)
    assert _worst_difference(model, full, ids) < 0.01
    assert _worst_difference(model, small, ids) < 0.05
    assert small.stat().st_size < full.stat().st_size


def test_llama_cpp_tokenizes_the_same(model: Decoder, tokenizer: Tokenizer, tmp_path: Path) -> None:
    write_gguf(model, tokenizer, tmp_path / "full.gguf")
    speaker = Speaker(tmp_path / "full.gguf")
    for text in (*TEXTS, *SPECIAL_TOKENS, render_prompt([Message("user", "hi")])):
        assert speaker.tokens(text) == tokenizer.encode(text).ids
    assert tokenizer.decode(tokenizer.encode(TEXTS[2]).ids) == TEXTS[2]


def test_the_shipped_file_tokenizes_as_its_trainer_did() -> None:
    path = Path(__file__).parents[2] / DEFAULT_FILE
    fields = gguf.GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"].contents()]
    rebuilt = make_tokenizer({token: number for number, token in enumerate(tokens)}, merges)
    speaker = Speaker(path)
    for text in TEXTS:
        assert speaker.tokens(text) == rebuilt.encode(text).ids


def test_only_the_assistant_is_learned(tokenizer: Tokenizer) -> None:
    ids, learn = ChatEncoder(tokenizer).encode([Message("user", "hello"), Message("assistant", "Hi!")])
    learned = tokenizer.decode([i for i, mark in zip(ids, learn, strict=True) if mark], skip_special_tokens=False)
    assert learned == "Hi!<|im_end|>"


def test_a_text_without_a_frame_is_learned_to_its_end(tokenizer: Tokenizer) -> None:
    ids, learn = ChatEncoder(tokenizer).encode([Message("text", "Once upon a time")])
    assert tokenizer.decode(ids, skip_special_tokens=False) == "Once upon a time<|im_end|>"
    assert learn == [1] * len(ids)


@pytest.mark.timeout(120)  # some dozen optimizer steps, on a machine that may be busy
def test_training_goes_on_from_its_checkpoint(tokenizer: Tokenizer, tmp_path: Path) -> None:
    def fit(steps: int, name: str) -> Decoder:
        # The schedule must not change with the number of steps taken so far.
        batches = stream_batches(stream(1), ChatEncoder(tokenizer), RECIPE)
        stopped = islice(batches, steps)
        return train_model(SHAPE, RECIPE, stopped, tmp_path / name)[0]

    whole = fit(6, "whole.pt")
    fit(3, "parts.pt")
    parts = fit(6, "parts.pt")
    pairs = zip(whole.parameters(), parts.parameters(), strict=True)
    assert all(torch.allclose(first, second, atol=1e-5) for first, second in pairs)


def test_training_lowers_the_loss(model: Decoder, tokenizer: Tokenizer) -> None:
    batch = next(stream_batches(stream(2), ChatEncoder(tokenizer), RECIPE))
    torch.manual_seed(1)
    assert batch_loss(model, batch) < batch_loss(Decoder(SHAPE), batch) - 0.15
