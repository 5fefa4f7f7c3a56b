"""The corpus is the same in every run, and what the evaluation asks never occurs in it."""

import random
import re
from itertools import islice

import pytest

from train.corpus.base import Category, Message, Phrasings, Scene, expand, is_held_combination, mentions, normal
from train.corpus.dialogue import CATEGORIES, Conversation, make_probe, make_probes, stream
from train.corpus.intents import load_intents, parse_intents
from train.corpus.numbers import in_words
from train.corpus.stories import count_sentences
from train.corpus.surface import surface

MANY = 6000


@pytest.fixture(scope="module")
def probes() -> list[Conversation]:
    return make_probes()


@pytest.fixture(scope="module")
def conversations() -> list[list[Message]]:
    return list(islice(stream(7), MANY))


def test_same_seed_gives_the_same_corpus() -> None:
    first, second = (list(islice(stream(3), 300)) for _ in range(2))
    assert first == second
    assert first != list(islice(stream(4), 300))


def test_probes_are_the_same_in_every_run(probes: list[Conversation]) -> None:
    assert [p.messages for p in probes] == [p.messages for p in make_probes()]


def test_no_held_out_question_is_trained(probes: list[Conversation], conversations: list[list[Message]]) -> None:
    asked = {probe.asked for probe in probes}
    trained = {normal(m.content) for talk in conversations for m in talk if m.role == "user"}
    assert not asked & trained


def test_no_composed_question_is_trained_as_it_is_put(conversations: list[list[Message]]) -> None:
    """Its templates and its words are; together, as the sentence reads, they are not."""
    signs = str.maketrans(
        {"-": " minus ", "/": " over ", "+": " plus ", "\u00d7": " times ", "\u00f7": " over "}
    )  # 7 - 7 is another question than 7 / 7
    asked = {normal(p.messages[-2].content.translate(signs)) for p in make_probes(is_plain=True, split="composed")}
    trained = {normal(m.content.translate(signs)) for talk in conversations for m in talk if m.role == "user"}
    assert not asked & trained


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.name)
def test_the_rule_of_a_composed_question_accepts_its_own_answer(category: Category) -> None:
    rng = random.Random(8)
    probes = [make_probe(rng, category, "composed", is_plain=True) for _ in range(100)]
    assert all(probe.check(probe.messages[-1].content) for probe in probes)


def test_another_seed_does_not_train_held_out_questions_either(probes: list[Conversation]) -> None:
    asked = {probe.asked for probe in probes}
    trained = {normal(m.content) for talk in islice(stream(99), 2000) for m in talk if m.role == "user"}
    assert not asked & trained


def test_held_out_templates_are_in_one_split_only() -> None:
    forms = Phrasings(f"form {number}" for number in range(40))
    assert set(forms.heldout) == {f"form {number}" for number in (5, 13, 21, 29, 37)}
    assert not set(forms.heldout) & set(forms.train)
    rng = random.Random(1)
    assert {forms.pick(rng, "train") for _ in range(500)} == set(forms.train)
    assert {forms.pick(rng, "heldout") for _ in range(100)} == set(forms.heldout)


def test_about_a_tenth_of_the_combinations_is_held_out() -> None:
    held = sum(is_held_combination("on", "kitchen", str(number)) for number in range(2000))
    assert 140 < held < 260


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.name)
def test_the_rule_of_every_question_accepts_its_own_answer(category: Category) -> None:
    rng = random.Random(5)
    probes = [make_probe(rng, category) for _ in range(150)]
    assert all(probe.check(probe.messages[-1].content) for probe in probes)


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.name)
def test_the_rule_of_a_question_refuses_answers_to_others(category: Category) -> None:
    rng = random.Random(6)
    others = [make_probe(rng, other).messages[-1].content for other in CATEGORIES if other is not category]
    probes = [make_probe(rng, category) for _ in range(40)]
    accepted = sum(probe.check(answer) for probe in probes for answer in others)
    # To what a persona does not say, "I don't know" is a right answer, whatever was asked elsewhere.
    share = 0.04 if category.name == "persona" else 0.02
    assert accepted <= share * len(probes) * len(others)


def test_a_claim_is_wrong_where_there_are_no_tools() -> None:
    """A wish for the home names what it is about and claims nothing; a confirmation is never right."""
    home = next(category for category in CATEGORIES if category.name == "home")
    rng = random.Random(8)
    turns = [turn for _ in range(300) for turn in home.make(rng, "train", Scene())]
    assert all(turn.check(turn.reply) for turn in turns)
    for turn in turns:
        named = re.sub(r"^.*?can't (?:turn on|turn off|open|close) ", "", turn.reply)
        for claim in (f"Turning on {named}", f"Done. {turn.reply}", "I have set it.", f"{named} It is on."):
            assert not turn.check(claim), (turn.user, claim)


def test_conversations_alternate_and_end_with_the_assistant(conversations: list[list[Message]]) -> None:
    for talk in conversations:
        roles = [message.role for message in talk if message.role != "system"]
        assert roles == ["user", "assistant"] * (len(roles) // 2)
        assert all(message.content.strip() == message.content for message in talk if message.role == "assistant")


def test_stories_have_the_promised_length() -> None:
    stories = next(category for category in CATEGORIES if category.name == "story")
    rng = random.Random(2)
    turns = [turn for _ in range(200) for turn in stories.make(rng, "train", Scene())]
    for turn in turns:
        assert count_sentences(turn.reply) >= 5
        fewest = 260 if " long" in turn.user else 80
        assert len(turn.reply.split()) >= fewest, turn.user


def test_every_surface_form_keeps_the_words_of_an_exact_text() -> None:
    rng = random.Random(4)
    forms = {surface(rng, "what's 12 plus 7", exact=True) for _ in range(200)}
    assert {normal(form) for form in forms} == {"whats 12 plus 7"}
    assert "what's 12 plus 7" in forms and "What's 12 plus 7?" in forms


def test_data_files_are_whole() -> None:
    for name in ("smalltalk", "identity", "howto", "facts", "refusals"):
        intents = load_intents(name)
        assert len({intent.key for intent in intents}) == len(intents)
        assert all(intent.replies and (intent.questions or intent.nouns) for intent in intents)


def test_a_data_line_without_a_mark_is_an_error() -> None:
    with pytest.raises(ValueError, match="begins with"):
        parse_intents("# one\nwithout a mark")


def test_small_helpers() -> None:
    assert expand(random.Random(1), "[a] b") == "a b"
    assert in_words(342) == "three hundred and forty two"
    assert mentions("Turning on the hall light.", "hall") and not mentions("Turning on the hallway.", "hall")
