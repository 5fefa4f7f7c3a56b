"""The eye: pictures and questions, the network in torch and in llama.cpp, its training, and the shipped files."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

HOW = "needs the training packages: pip install -e .[train]"
torch = pytest.importorskip("torch", reason=HOW)
pytest.importorskip("gguf", reason=HOW)
pytest.importorskip("PIL", reason=HOW)

import numpy as np  # noqa: E402  # the imports below need what the lines above may skip
from PIL import Image  # noqa: E402

from train.chatml import TURN_END, TURN_START  # noqa: E402
from train.evaluate import DEFAULT_FILE  # noqa: E402
from train.eye.canvas import Canvas, fit  # noqa: E402
from train.eye.drawing import FONT_FOLDER, draw  # noqa: E402
from train.eye.export import write_adapter, write_eye  # noqa: E402
from train.eye.fit import EyeRecipe, Sighted, Talker, train_eye, word_embeddings  # noqa: E402
from train.eye.questions import ask_about  # noqa: E402
from train.eye.reading import read_eye  # noqa: E402
from train.eye.samples import Sights  # noqa: E402
from train.eye.scenes import FONTS, MAKERS, Display, Group, Scene, Shapes, Style, Text, draw_scene, is_held  # noqa: E402
from train.eye.slots import KIND_SLOT, TEXT_SLOT, WORDS, words_at  # noqa: E402
from train.eye.text import PICTURE, Tokens, hidden_states  # noqa: E402
from train.eye.vision import WORD_SHARE, Eye, EyeShape  # noqa: E402
from train.eye.watcher import Array, Watcher  # noqa: E402
from train.reading import read_model  # noqa: E402

needs_fonts = pytest.mark.skipif(
    not all((FONT_FOLDER / f"{font}.ttf").exists() for font in FONTS),
    reason="fonts are missing: sudo apt-get install fonts-dejavu fonts-liberation",
)
ASKED = "what do you see?"
SMALL = EyeShape(width=64, layers=2, heads=2, hidden=96, projector=160)
RECIPE = replace(
    EyeRecipe(), word_steps=4, read_steps=3, talk_steps=3, pictures=4, talks=2, rank=4, threads=1, checkpoint_every=2
)


def _pictures(number: int, *, held: bool) -> list[tuple[Scene, Style, Canvas]]:
    rng = random.Random(3)
    scenes = [draw_scene(rng, held=held) for _ in range(number)]
    return [(scene, style, draw(rng, scene, style)) for scene, style in scenes]


def _sighted(shape: EyeShape = SMALL) -> Sighted:
    torch.manual_seed(1)
    tokens = Tokens(DEFAULT_FILE, shape.tokens)
    return Sighted(shape, word_embeddings(read_model(DEFAULT_FILE), tokens))


@needs_fonts
def test_every_kind_of_scene_is_drawn_with_its_things_inside() -> None:
    """A mark lies at least partly in its picture."""
    rng = random.Random(1)
    for kind in MAKERS:
        for _ in range(20):
            canvas = draw(rng, *draw_scene(rng, held=False, kind=kind))

            assert canvas.marks
            assert all(box[0] < 1 and box[1] < 1 and box[2] > 0 and box[3] > 0 for box in (m.box for m in canvas.marks))


@needs_fonts
def test_right_answers_obey_their_own_rule() -> None:
    """Every answer that is trained would be counted as right."""
    rng = random.Random(2)
    for scene, _, canvas in _pictures(150, held=False):
        for question in ask_about(rng, scene, tuple(canvas.marks), 5):
            assert question.check(question.answer), question


def test_no_picture_of_training_is_held_out() -> None:
    """Training and evaluation draw from combinations that the checksum separates."""
    rng = random.Random(4)

    assert not any(is_held(*draw_scene(rng, held=False)) for _ in range(300))
    assert all(is_held(*draw_scene(rng, held=True)) for _ in range(100))


def test_words_stand_at_their_places() -> None:
    """A group of shapes begins the first row, a text the last ones."""
    shapes = Shapes((Group("square", "red", 2), Group("circle", "blue", 1)), None)

    assert words_at(shapes, ())[KIND_SLOT] == "shapes"
    assert [words_at(shapes, ()).get(slot) for slot in (0, 1, 2, 6, 7, 8)] == [
        "one",
        "blue",
        "circle",
        "two",
        "red",
        "square",
    ]
    assert [words_at(Display("12:3", "red"), ())[TEXT_SLOT + slot] for slot in range(4)] == [*"12:3"]


def test_read_characters_are_single_tokens_of_the_answer() -> None:
    """A text is answered by character, and the picture's places are in the row once."""
    question = ask_about(random.Random(1), Text("EXIT"), (), 1)[0]
    tokens = Tokens(DEFAULT_FILE, 36)

    ids, learn = tokens.row(
        [replace(question, answer="It says EXIT.", spelled="EXIT")], "", is_first=True, system="", others={}
    )

    assert ids.count(PICTURE) == 36
    spelled = [token for piece in (" E", "X", "I", "T") for token in tokens.split(piece)]
    answer = [token for token, weight in zip(ids, learn, strict=True) if weight]
    assert answer == [*tokens.split("It says"), *spelled, *tokens.split("."), *tokens.split(TURN_END)]


@needs_fonts
def test_llama_cpp_computes_the_same_embeddings(tmp_path: Path) -> None:
    """Pictures of any size become the same embeddings in llama.cpp as in torch, scaling included."""
    sighted = _sighted()
    write_eye(sighted.eye, tmp_path / "eye.gguf", is_exact=True)
    watcher = Watcher(DEFAULT_FILE, tmp_path / "eye.gguf")

    for _, _, canvas in _pictures(6, held=True):
        ours = sighted.eye(torch.from_numpy(np.array(fit(canvas.image, SMALL.side)))[None]).detach().numpy()[0]
        theirs = watcher.embeddings(canvas.image)

        # llama.cpp rounds what GELU gets to 16 bits.
        assert np.abs(ours - theirs).max() < 0.002 * np.abs(ours).max()
    watcher.close()


def test_an_eye_for_another_text_model_sees_the_same(tmp_path: Path) -> None:
    """Its projector ends in the words of the new model."""
    there = _sighted().eye
    write_eye(there, tmp_path / "eye.gguf", is_exact=True)
    words = torch.randn(len(WORDS), there.mm_2.out_features)
    eye = Eye(SMALL, words)

    read_eye(eye, tmp_path / "eye.gguf")

    pixels = torch.randint(0, 255, (1, SMALL.side, SMALL.side, 3), dtype=torch.uint8)
    torch.testing.assert_close(eye.look(pixels)[1], there.look(pixels)[1])
    torch.testing.assert_close(eye.mm_2.weight[:, : len(WORDS)], WORD_SHARE * words.T)


@needs_fonts
def test_llama_cpp_reads_a_picture_with_the_adapter_as_torch_does(tmp_path: Path) -> None:
    """The picture's embeddings and the additions to the text model lead to the same scores of the first word."""
    talker = Talker(_sighted(), read_model(DEFAULT_FILE), 4)
    for name, weight in talker.text.named_parameters():
        if name.endswith("lora_b"):
            torch.nn.init.normal_(weight, std=0.2)
    write_eye(talker.sighted.eye, tmp_path / "eye.gguf", is_exact=True)
    write_adapter(talker.text, tmp_path / "adapter.gguf")
    image = _pictures(1, held=True)[0][2].image

    with_it, without = (
        _llama_scores(tmp_path / "eye.gguf", adapter, image) for adapter in (tmp_path / "adapter.gguf", None)
    )

    ours = _torch_scores(talker, image)
    assert np.corrcoef(ours, with_it)[0, 1] > 0.998
    assert np.corrcoef(ours, without)[0, 1] < 0.99


def _llama_scores(eye: Path, adapter: Path | None, image: Image.Image) -> Array:
    watcher = Watcher(DEFAULT_FILE, eye, adapter)
    scores = watcher.read(watcher.embeddings(image), ASKED)
    watcher.close()
    return scores


def _torch_scores(talker: Talker, image: Image.Image) -> Array:
    tokens = Tokens(DEFAULT_FILE, SMALL.tokens)
    pixels = torch.from_numpy(np.array(fit(image, SMALL.side)))[None]
    after = tokens.split(f"{ASKED}{TURN_END}\n{TURN_START}assistant\n")
    ids = torch.tensor([[*tokens.split(f"{TURN_START}user\n"), *[PICTURE] * SMALL.tokens, *after]])
    with torch.no_grad():
        states = hidden_states(talker.text.float(), ids, talker.sighted.eye(pixels))
        scores: Array = talker.text.logits(states[0, -1]).numpy()
    return scores


@needs_fonts
def test_training_goes_on_from_its_checkpoints(tmp_path: Path) -> None:
    """All stages run, and a second call has nothing left to do."""
    before = {name: weight.clone() for name, weight in _sighted().named_parameters()}

    talker = train_eye(DEFAULT_FILE, SMALL, RECIPE, tmp_path)
    again = train_eye(DEFAULT_FILE, SMALL, RECIPE, tmp_path)

    assert any(not torch.equal(weight, before[name]) for name, weight in talker.sighted.named_parameters())
    assert all(torch.equal(a, b) for a, b in zip(again.parameters(), talker.parameters(), strict=True))


@needs_fonts
def test_a_batch_depends_only_on_its_number() -> None:
    """Training that goes on sees the pictures that it would have seen."""
    first, second = (Sights(SMALL, size=3, steps=5, seed=9)[2] for _ in range(2))

    assert torch.equal(first.pixels, second.pixels) and torch.equal(first.words, second.words)
    assert not torch.equal(first.pixels, Sights(SMALL, size=3, steps=5, seed=9)[3].pixels)
