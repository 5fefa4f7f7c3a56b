"""Everyday talk, not-knowing, copying, memory, personas, entertainment, long conversations and texts of the corpus."""

import random
import re

import pytest

from train.corpus.banks import bank
from train.corpus.base import Message, Scene, Split, Turn, normal
from train.corpus.copying import make_copying
from train.corpus.dialogue import CATEGORIES, draw_exchange, make_persona_conversation, make_probe, make_text
from train.corpus.entertain import make_entertainment
from train.corpus.everyday import IDEA, SLOT, TalkError, Topic, load_topics, make_everyday, parse_topics
from train.corpus.intents import load_intents
from train.corpus.long_talk import LENGTHS, SHORTEST_TALK, estimated_tokens, make_long_conversation
from train.corpus.odd_words import code, number, odd_name
from train.corpus.persona import draw_persona, make_persona
from train.corpus.recall import KINDS, make_recall
from train.corpus.surface import Verbatim, surface, wrap
from train.corpus.texts import paragraphs
from train.corpus.unknown import make_unknown
from train.corpus.unknown_words import UNKNOWN_POOLS

NEW = ("talk", "unknown", "fun", "copying", "recall", "persona")
MAKERS = (make_everyday, make_unknown, make_entertainment, make_copying, make_recall, make_persona)
SPLITS: tuple[Split, ...] = ("train", "composed", "heldout")
NOTED = re.compile(
    r"(?:I'll remember the \w+ |All right: |Noted: )?\"?([^.,\"]+)\"?(?:, noted|, I see|, I'll remember|\.$)"
)
TOPICS = [*load_topics(), *load_topics("unknown")]


def many_turns(maker: object, split: Split = "train", number_of: int = 150) -> list[Turn]:
    assert callable(maker)
    rng = random.Random(11)
    return [turn for _ in range(number_of) for turn in maker(rng, split, Scene())]


def test_everyday_life_has_many_topics() -> None:
    exchanges = [each for topic in load_topics() for each in (topic.opening, *topic.follow_ups)]
    assert len(exchanges) >= 250
    assert all(len(each.replies) >= 2 for each in exchanges)
    assert all(len(topic.opening.questions) >= 5 for topic in load_topics())


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.key)
def test_every_sentence_of_a_topic_has_a_reply_with_its_own_words_only(topic: Topic) -> None:
    opened = [set(SLOT.findall(question)) for question in topic.opening.questions]
    assert all(any(set(SLOT.findall(r)) <= said | {IDEA} for r in topic.opening.replies) for said in opened)
    for each in topic.follow_ups:
        said = [set(SLOT.findall(question)) | before | {IDEA} for question in each.questions for before in opened]
        assert all(any(set(SLOT.findall(reply)) <= words for reply in each.replies) for words in said)


def test_blocks_that_mean_the_same_exist() -> None:
    keys = {f"{name}/{intent.key}" for name in ("smalltalk", "identity") for intent in load_intents(name)}
    assert {key for topic in load_topics() for key in topic.same_as} <= keys


@pytest.mark.parametrize("text", ["> before a block", "# a\n<< a reaction to nothing", "# a\nwithout a mark"])
def test_a_line_in_a_wrong_place_is_an_error(text: str) -> None:
    with pytest.raises(TalkError, match=r"data/talk/x.txt, line [12]"):
        parse_topics("x.txt", text)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_every_answer_obeys_its_own_rule(maker: object, split: Split) -> None:
    assert [turn for turn in many_turns(maker, split) if not turn.check(turn.reply)] == []


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_no_slot_stays_open_and_nothing_looks_odd(maker: object) -> None:
    for turn in many_turns(maker):
        text = f"{turn.user} {turn.reply}"
        assert not set("{}[]|") & set(text), text
        assert "  " not in text and turn.reply == turn.reply.strip() != ""


def test_what_is_not_known_is_named_and_never_looked_up() -> None:
    replies = {reply for topic in load_topics("unknown") for reply in topic.opening.replies}
    assert len(replies) >= 60
    assert all(SLOT.search(reply) for reply in replies)
    assert set().union(*(SLOT.findall(reply) for reply in replies)) <= set(UNKNOWN_POOLS)
    assert not any("online" in turn.reply or "search" in turn.reply for turn in many_turns(make_unknown))


def test_an_invented_answer_is_wrong() -> None:
    for turn in many_turns(make_unknown, number_of=40):
        assert not turn.check("It was in 1789.")
        assert not turn.check("I don't know that.")


def test_odd_words_come_back_letter_by_letter() -> None:
    assert all(isinstance(turn.user, Verbatim) for turn in many_turns(make_copying))
    spelled = [turn for turn in many_turns(make_copying) if turn.reply.count("-") > 3 and turn.reply.isupper()]
    assert spelled
    assert all(turn.reply[:-1].replace("-", "").lower() in turn.user.lower() for turn in spelled)


def test_a_request_that_is_already_spelled_stays_as_it_is() -> None:
    rng = random.Random(1)
    text = Verbatim("the code is aX4-b")
    assert {surface(rng, wrap(rng, text)) for _ in range(50)} == {"the code is aX4-b"}


def test_names_codes_and_numbers_are_hardly_ever_the_same() -> None:
    rng = random.Random(5)
    assert len({odd_name(rng) for _ in range(500)}) > 350
    assert len({code(rng) for _ in range(500)}) > 480
    assert all(2 <= len(number(rng)) <= 8 for _ in range(200))


def test_what_was_told_is_given_back_in_the_same_words() -> None:
    rng = random.Random(6)
    for _ in range(200):
        scene = Scene()
        turns = make_recall(rng, "train", scene)
        told = [word for word in scene.memory.values() if word in turns[-1].reply]
        assert told or "haven't told me" in turns[-1].reply or "said" in turns[-1].reply


def test_everything_that_is_told_can_be_asked_for() -> None:
    assert all(bank("recall")[f"tell {kind}"].train and bank("recall")[f"ask {kind}"].heldout for kind in KINDS)


def test_the_answers_of_a_persona_stand_in_its_prompt() -> None:
    rng = random.Random(7)
    for _ in range(100):
        persona = draw_persona(rng)
        prompt = normal(persona.prompt(rng))
        assert all(normal(fact.slots["it"]) in prompt for fact in persona.facts)


def test_personas_are_short_and_long() -> None:
    rng = random.Random(8)
    lengths = [len(make_persona_conversation(rng)[0].content) for _ in range(150)]
    assert min(lengths) < 300 and max(lengths) > 4000


def test_nothing_entertaining_comes_twice() -> None:
    rng = random.Random(9)
    for _ in range(200):
        replies = [turn.reply for turn in make_entertainment(rng, "train", Scene()) if "riddle" in turn.reply]
        assert len(set(replies)) == len(replies)


def test_a_riddle_keeps_its_answer_until_it_is_asked() -> None:
    riddle = next(intent for intent in load_intents("smalltalk") if intent.key == "riddle")
    assert len(riddle.answers) == len(riddle.replies) >= 40
    assert not any(normal(answer) in normal(reply) for reply, answer in riddle.answers.items())


def is_remembered(talk: list[Message]) -> bool:
    """Return whether something that was told in the first third is said again in the last third."""
    third = len(talk) // 3
    early = {note.group(1) for message in talk[:third] if (note := NOTED.match(message.content))}
    late = " ".join(message.content for message in talk[-third:] if message.role == "assistant")
    return any(word.lower() in late.lower() for word in early)


def test_long_conversations_fill_the_context_and_look_back() -> None:
    rng = random.Random(10)
    talks = [make_long_conversation(rng) for _ in range(60)]
    sizes = [estimated_tokens(talk) for talk in talks]
    assert max(sizes) > 3000
    assert all(
        size <= max(LENGTHS[-1], estimated_tokens(t[:1]) + SHORTEST_TALK) for t, size in zip(talks, sizes, strict=True)
    )
    assert sum(map(is_remembered, talks)) >= 15
    for talk in talks:
        roles = [message.role for message in talk if message.role != "system"]
        assert roles == ["user", "assistant"] * (len(roles) // 2)


def test_a_question_that_is_dropped_leaves_nothing_behind() -> None:
    """Else the assistant would remember what nobody has told it."""
    rng = random.Random(4)
    recalling = next(each for each in CATEGORIES if each.name == "recall")
    everything = frozenset(normal(turn.user) for _ in range(300) for turn in make_recall(rng, "train", Scene()))
    for _ in range(100):
        scene = Scene()
        exchange, _made = draw_exchange(rng, recalling, scene, everything)
        assert exchange or scene == Scene()


def test_texts_to_continue_are_many_and_of_several_kinds() -> None:
    rng = random.Random(12)
    assert len(paragraphs()) == len(set(paragraphs())) >= 150
    texts = {make_text(rng)[0].content for _ in range(200)}
    assert len(texts) > 150


@pytest.mark.parametrize("name", NEW)
def test_held_out_sentences_are_kept_out(name: str) -> None:
    category = next(each for each in CATEGORIES if each.name == name)
    rng = random.Random(13)
    asked = {make_probe(rng, category).asked for _ in range(60)}
    trained = {normal(turn.user) for _ in range(400) for turn in category.make(rng, "train", Scene())}
    assert len(asked & trained) <= 2


def test_the_old_categories_come_first() -> None:
    names = [category.name for category in CATEGORIES]
    assert names[10:] == list(NEW)


def test_the_same_seed_gives_the_same_long_conversation() -> None:
    first, second = (make_long_conversation(random.Random(3)) for _ in range(2))
    assert first == second
