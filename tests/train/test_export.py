"""A miniature model goes the whole way: trained, exported, quantized, and llama.cpp computes the same."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from multiprocessing.resource_tracker import ensure_running
from pathlib import Path

import pytest

HOW = "needs the training packages: pip install -e .[train]"
torch = pytest.importorskip("torch", reason=HOW)
gguf = pytest.importorskip("gguf", reason=HOW)
pytest.importorskip("tokenizers", reason=HOW)

import llama_cpp  # noqa: E402  # the imports below need what the lines above may skip
import numpy as np  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

from tests.support.children import kept_children  # noqa: E402
from train.batches import stream_batches  # noqa: E402
from train.chatml import SPECIAL_TOKENS, render_prompt  # noqa: E402
from train.config import ModelShape, Recipe  # noqa: E402
from train.corpus.base import Message  # noqa: E402
from train.corpus.mix import pool  # noqa: E402
from train.evaluate import DEFAULT_FILE, Speaker  # noqa: E402
from train.export import export_model, write_gguf  # noqa: E402
from train.fit import (  # noqa: E402
    OtherRunError,
    Run,
    batch_loss,
    save_hand_over,
    tokenizer_handed_over,
    train_model,
)
from train.model import Decoder  # noqa: E402
from train.pools import EncodedPools  # noqa: E402
from train.reading import begin_with  # noqa: E402
from train.tokenizer import ChatEncoder, make_tokenizer, save_tokenizer, train_tokenizer  # noqa: E402

# The first test of the file makes the corpus for the tokenizer, on a machine that may be busy.
pytestmark = pytest.mark.timeout(90)

SHAPE = ModelShape(vocab=768, width=64, layers=2, heads=2, kv_heads=1, hidden=96)
RECIPE = replace(Recipe(), steps=6, batch_tokens=1024, max_tokens=1024, warmup=1, threads=1)
TEXTS = (
    "Turn on the kitchen light, please!",
    "What's 12+7? It's 19... isn't it",
    "Zoë's café 🎂 in 日本語\n\n  two spaces\tand a tab ",
    '{"name": "turn_on", "arguments": {"entity": "kitchen light"}}',
    "DON'T SHOUT 👋🏽 ½ 3.14 €",
)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return train_tokenizer([m.content for talk in pool(1, 0, 400) for m in talk], SHAPE.vocab)


@pytest.fixture(scope="module")
def tokenizer_file(tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    save_tokenizer(tokenizer, file)
    return file


@pytest.fixture(scope="session")
def resource_tracker() -> Iterator[None]:
    """Python's own process beside those of `multiprocessing`, which stays to the end."""
    ensure_running()
    with kept_children():
        yield


@pytest.fixture(scope="module")
def model(tokenizer_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    checkpoint = tmp_path_factory.mktemp("fit") / "checkpoint.pt"
    pools = EncodedPools(tokenizer_file, seed=1, size=300)
    return train_model(Run(SHAPE, RECIPE, "corpus"), pools, checkpoint)[0]


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


def test_answers_and_the_ends_of_questions_are_learned(tokenizer: Tokenizer) -> None:
    """The end of the user's words too: so the model knows how likely somebody has finished speaking."""
    ids, learn = ChatEncoder(tokenizer).encode([Message("user", "hello"), Message("assistant", "Hi!")])
    learned = tokenizer.decode([i for i, mark in zip(ids, learn, strict=True) if mark], skip_special_tokens=False)
    assert learned == "hello<|im_end|>Hi!<|im_end|>"


def test_a_text_without_a_frame_is_learned_to_its_end(tokenizer: Tokenizer) -> None:
    ids, learn = ChatEncoder(tokenizer).encode([Message("text", "Once upon a time")])
    assert tokenizer.decode(ids, skip_special_tokens=False) == "Once upon a time<|im_end|>"
    assert learn == [1] * len(ids)


@pytest.mark.timeout(180)  # some hundred small steps
def test_a_training_in_pieces_gives_the_same_weights(tokenizer_file: Path, tmp_path: Path) -> None:
    """Two hundred steps, stopped in the middle of a pool of the corpus, and again after that."""
    shape = replace(SHAPE, width=32, layers=1, heads=1, hidden=32)
    run = Run(shape, replace(RECIPE, steps=200, batch_tokens=96, checkpoint_every=1000), "corpus")
    pools = EncodedPools(tokenizer_file, seed=1, size=10)

    whole, progress = train_model(run, pools, tmp_path / "whole.pt")
    train_model(run, pools, tmp_path / "parts.pt", stops=lambda progress: progress.step == 83)
    train_model(run, pools, tmp_path / "parts.pt", stops=lambda progress: progress.step == 84)
    parts, again = train_model(run, pools, tmp_path / "parts.pt")

    pairs = zip(whole.parameters(), parts.parameters(), strict=True)
    assert all(torch.equal(first, second) for first, second in pairs)
    assert (again.step, again.tokens, again.pool) == (200, progress.tokens, progress.pool)
    assert progress.pool > 1


def test_a_training_goes_on_on_another_machine(tokenizer_file: Path, tmp_path: Path) -> None:
    """From the weights in half precision, and at the same place of the corpus."""
    run = Run(SHAPE, replace(RECIPE, steps=8), "corpus")
    pools = EncodedPools(tokenizer_file, seed=1, size=40)
    there, left = train_model(run, pools, tmp_path / "there.pt", stops=lambda progress: progress.step == 6)
    file = tmp_path / "unfinished.pt"
    save_hand_over(file, there, left, run, tokenizer_file.read_text())
    weights = there.embedding.weight.detach().clone()

    here, progress = train_model(run, pools, tmp_path / "here.pt", hand_over=file, stops=lambda progress: True)

    assert (progress.step, progress.pool, progress.done) == (7, left.pool, left.done + 1)
    # One step moves each weight by 0.003 at most.
    torch.testing.assert_close(here.embedding.weight, weights, atol=0.004, rtol=0)
    assert tokenizer_handed_over(file) == tokenizer_file.read_text()
    with pytest.raises(OtherRunError, match=r"unfinished\.pt is of another run \(corpus\)"):
        train_model(replace(run, corpus="another"), pools, tmp_path / "other.pt", hand_over=file)


def test_a_deeper_network_begins_as_the_file_ended(tokenizer: Tokenizer, tmp_path: Path) -> None:
    """With another tokenizer a token begins as the mean of those with which the file would write it."""
    torch.manual_seed(1)
    there = Decoder(SHAPE)
    file = tmp_path / "there.gguf"
    write_gguf(there, tokenizer, file)
    deeper, other = Decoder(replace(SHAPE, layers=4)), Decoder(SHAPE)
    tokens = [*sorted(tokenizer.get_vocab())[1:], "Ġkitchenlight"]
    other_tokens = make_tokenizer({token: number for number, token in enumerate(tokens)}, [])

    begin_with(deeper, file, tokenizer)
    begin_with(other, file, other_tokens)

    ids = torch.tensor([tokenizer.encode("Turn on the kitchen light!").ids])
    torch.testing.assert_close(deeper(ids), there(ids))
    for number, token in enumerate(tokens[:-1]):
        assert torch.equal(other.embedding.weight[number], there.embedding.weight[tokenizer.token_to_id(token)])
    pieces = there.embedding.weight[tokenizer.encode(" kitchenlight").ids]
    assert len(pieces) > 1
    torch.testing.assert_close(other.embedding.weight[-1], pieces.mean(0))


def test_a_checkpoint_of_another_corpus_is_refused(tokenizer_file: Path, tmp_path: Path) -> None:
    """Its step would be somewhere else in this one."""
    pools = EncodedPools(tokenizer_file, seed=1, size=40)
    train_model(Run(SHAPE, RECIPE, "one"), pools, tmp_path / "checkpoint.pt", stops=lambda progress: True)

    with pytest.raises(OtherRunError, match=r"checkpoint\.pt is of another run \(corpus\)"):
        train_model(Run(SHAPE, RECIPE, "another"), pools, tmp_path / "checkpoint.pt")


@pytest.mark.usefixtures("resource_tracker")
def test_pools_that_other_processes_make_are_the_same(tokenizer_file: Path) -> None:
    """The corpus does not depend on who makes it."""
    pools = EncodedPools(tokenizer_file, seed=1, size=40)
    here, there = (stream_batches(pools, RECIPE, pool=3, done=2, workers=workers) for workers in (0, 1))
    for (*place, batch), (*its_place, its) in zip(islice(here, 9), there, strict=False):
        assert place == its_place
        assert torch.equal(batch.inputs, its.inputs)
    there.close()


def test_training_lowers_the_loss(model: Decoder, tokenizer_file: Path) -> None:
    *_, batch = next(stream_batches(EncodedPools(tokenizer_file, seed=2, size=300), RECIPE))
    torch.manual_seed(1)
    assert batch_loss(model, batch) < batch_loss(Decoder(SHAPE), batch) - 0.15
