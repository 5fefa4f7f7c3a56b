"""The model file in the repository answers held-out questions; only llama.cpp is needed for this."""

import random
from pathlib import Path

import pytest

from train.chatml import CHAT_TEMPLATE, OPTIONAL_MARK
from train.corpus.base import Message
from train.corpus.dialogue import CATEGORIES, GENERAL_PROMPT, make_probe
from train.corpus.tools.talk import make_tool_probes
from train.evaluate import DEFAULT_FILE, Speaker, is_right
from train.evaluate_tools import evaluate_tools, share

FILE = Path(__file__).parents[2] / DEFAULT_FILE
MOST_BYTES = 12_000_000
LEARNED = ("arithmetic", "smalltalk", "identity", "howto", "facts", "refusal", "knowledge", "personal")
"""The kinds of talk that the shipped file was trained on and that have the same answers today."""


@pytest.fixture(scope="module")
def speaker() -> Speaker:
    return Speaker(FILE)


def test_the_file_is_small_enough() -> None:
    assert FILE.stat().st_size <= MOST_BYTES


def test_held_out_questions_are_answered(speaker: Speaker) -> None:
    rng = random.Random(321)
    chosen = [category for category in CATEGORIES if category.name in LEARNED]
    probes = [make_probe(rng, category) for category in chosen for _ in range(5)]
    right = [is_right(speaker, probe, speaker.answer(probe.messages[:-1])) for probe in probes]
    # So few questions only tell a sound file from a broken one; the real figure is the evaluation's.
    assert sum(right) >= 0.7 * len(right)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What's ur name?", "unitd"),
        ("Hello!", "can I"),
        ("turn on the kitchen light", "Turning on the kitchen light."),
        ("what is 9 plus 5", "14"),
        ("What is the capital of France?", "Paris"),
        ("why is the sky blue", "air scatters"),
        ("What will the weather be tomorrow?", "sorry"),
    ],
)
def test_plain_questions(speaker: Speaker, question: str, wanted: str) -> None:
    for system in ([], [Message("system", GENERAL_PROMPT)]):
        answer = speaker.answer([*system, Message("user", question)])
        assert wanted.lower() in answer.lower()


@pytest.mark.timeout(90)
def test_held_out_requests_are_called(speaker: Speaker) -> None:
    """Of houses, names, areas and phrasings that training never saw; the real figures are the evaluation's."""
    figures = evaluate_tools(speaker, make_tool_probes(4, seed=123))[1]
    assert share(figures.tool) >= 0.85
    assert share(figures.arguments) >= 0.8
    assert share(figures.silence) >= 0.85


@pytest.mark.parametrize(
    ("request_text", "fewest"),
    [
        ("Tell me a story.", 80),
        ("tell me a very long story", 250),
        ("tell me a story about two sisters and a forest", 80),
        ("tell me a story about a robot and the moon", 80),
    ],
)
def test_stories_are_long_enough_and_end(speaker: Speaker, request_text: str, fewest: int) -> None:
    story = speaker.answer([Message("user", request_text)])
    assert fewest <= len(speaker.tokens(story)) < 650
    assert story.count(".") >= 5 and story.strip()[-1] in '.!?"'


def test_the_file_says_how_to_use_it(speaker: Speaker) -> None:
    metadata = speaker.metadata
    # It was made before optional parameters had a mark.
    assert metadata["tokenizer.chat_template"] == CHAT_TEMPLATE.replace(OPTIONAL_MARK, "")
    assert metadata["general.architecture"] == "llama"
    assert metadata["llama.context_length"] == "4096"
    assert metadata["tokenizer.ggml.add_bos_token"] == "false"
    assert metadata["tokenizer.ggml.eos_token_id"] == metadata["tokenizer.ggml.eot_token_id"]
