"""What users tell about themselves: names to remember, likes, things to repeat."""

from __future__ import annotations

import random
from collections.abc import Callable

from train.corpus.base import (
    Phrasings,
    Scene,
    Split,
    Turn,
    draw_until,
    expects,
    is_held_combination,
    mentions,
    normal,
)
from train.corpus.names import invented, person

TELL_NAME = Phrasings(
    ["my name is {}", "I'm {}", "I am {}", "call me {}", "my name's {}", "hello, my name is {}", "hi, I'm {}",
     "you can call me {}", "I am called {}", "hey, I am {}", "please call me {}", "the name is {}",
     "my friends call me {}", "hello, I am {}", "hi, my name is {}", "hello I'm {}", "this is {} speaking"]
)  # fmt: skip
ASK_NAME = Phrasings(
    ["what's my name", "what is my name", "do you know my name", "who am I", "say my name",
     "can you tell me my name", "tell me my name", "do you remember my name", "what am I called",
     "do you still know my name", "what did I say my name was"]
)  # fmt: skip
GREET = Phrasings(
    ["say hello to {}", "say hi to {}", "greet {}", "please say hello to {}", "can you say hello to {}",
     "this is my friend {}", "say hi to my friend {}", "say hello to my friend {}", "meet {}",
     "here is my friend {}", "my friend {} is here", "this is my [brother|sister|wife|husband|neighbor] {}",
     "I want you to meet {}", "greet my friend {}", "say hello to my [brother|sister|mom|dad] {}"]
)  # fmt: skip
LIKE = Phrasings(
    ["I like {}", "I love {}", "I really like {}", "I enjoy {}", "my hobby is {}", "I'm a fan of {}",
     "I like {} very much", "I'm interested in {}", "I really love {}", "my favorite thing is {}", "I am into {}",
     "I love {} so much", "{} is my hobby", "I am a [big|huge] fan of {}", "I'm a [big|great] fan of {}",
     "I [adore|prefer] {}", "I'm really into {}", "I like {} a lot"]
)  # fmt: skip
DISLIKE = Phrasings(
    ["I hate {}", "I don't like {}", "I can't stand {}", "I really hate {}", "I do not like {}",
     "I dislike {}", "I don't enjoy {}", "I don't like {} at all", "{} is not for me",
     "I [strongly|really] dislike {}", "I hate {} so much"]
)  # fmt: skip
HAVE = Phrasings(
    ["I have a {}", "I've got a {}", "I bought a {}", "I got a {}", "we have a {}", "I own a {}",
     "I have a new {}", "we got a {}", "I bought a new {}", "I am the owner of a {}", "I [now|also] own a {}",
     "there is a {} at my home",
     "my new {} is here", "I do own a {}"]
)  # fmt: skip
REPEAT = Phrasings(
    ["repeat after me: {}", "say {}", "repeat: {}", "repeat after me, {}", "please say {}", "can you say {}",
     "now say {}", "please repeat {}", "say the words {}"]
)  # fmt: skip
STATEMENTS = Phrasings(
    ["I went [to the park|to the cinema|shopping|swimming|for a walk|to a party|to school] today",
     "I [watched a movie|read a book|played football|cooked dinner|cleaned the house] yesterday",
     "I live [in a big house|in a small town|in the city|alone|with my family|in the country]",
     "I work [in an office|at a school|as a nurse|as a teacher|from home|a lot]",
     "my [brother|sister|mother|father|son|daughter] [is visiting|is coming today|lives in Spain|is ten|is here]",
     "I have [two kids|a big family|three cats|a lot of work|a brother|many friends]",
     "I'm [learning English|learning to cook|reading a book|watching tv|making dinner|going to a party]",
     "tomorrow I [go on holiday|have a party|visit my mother|start a new job|get a new car]",
     "we are [having guests|moving to a new house|going on holiday|having a party]",
     "I just [came home|had lunch|woke up|finished work|met a friend]",
     "I want to [learn the guitar|travel|buy a car|build a house|see the sea]",
     "my [neighbor|friend|boss|teacher] is [nice|strange|very kind|loud]",
     "I [play the piano|play football|paint|write stories|go running|sing in a choir]",
     "last week I [was in Italy|met an old friend|bought a bike|was on holiday]",
     "I'm [an engineer|a student|a teacher|a nurse|retired|ten years old]",
     "today I [baked a cake|worked in the garden|learned a lot|met my friends]",
     "my [dog|cat|wife|husband|son|daughter] is [called|named] [Bello|Kitty|Anna|Tom|Lucky|Sue]",
     "my [dog|cat|baby] is [cute|hungry|sleeping|very old|big]",
     "I [saw a bird|heard a song|found a coin|lost my key|broke a cup|had a dream] today",
     "it's a [nice|beautiful|lovely|rainy|cold|sunny] day",
     "the [food|movie|party|book|trip] was [great|bad|nice|long|wonderful]",
     "I [need|want] a [new phone|new car|holiday|new job|bigger house]",
     "I'm [at home|in the kitchen|at work|on the train|outside|in bed]",
     "we [won the game|had a great time|moved to a new city|ate pizza]"]
)  # fmt: skip
HOBBIES = (
    "pizza", "music", "dogs", "cats", "football", "swimming", "reading", "cooking", "dancing", "hiking",
    "chocolate", "movies", "books", "gardening", "painting", "singing", "tennis", "skiing", "fishing",
    "computers", "robots", "cars", "trains", "horses", "birds", "science", "history", "math", "art", "coffee",
    "tea", "ice cream", "pasta", "traveling", "camping", "photography", "board games", "video games", "chess",
    "basketball", "cycling", "running", "yoga", "knitting", "jazz", "rock music", "the sea", "the mountains",
    "winter", "summer", "rain", "snow", "flowers", "trees", "spiders", "broccoli", "onions", "Mondays",
    "electronics", "programming", "old films", "comics", "poetry", "sushi", "cheese", "strawberries",
)  # fmt: skip
BELONGINGS = (
    "dog", "cat", "bike", "car", "house", "garden", "guitar", "piano", "computer", "robot", "rabbit", "horse",
    "hamster", "boat", "phone", "camera", "telescope", "tent", "bird", "fish", "drone", "puppy", "kitten",
    "skateboard", "motorcycle", "printer", "board game", "violin", "drum", "tortoise", "snake", "parrot",
)  # fmt: skip
SAYINGS = (
    "banana", "good morning everyone", "I am a robot", "the cat sat on the mat", "hello world", "yes we can",
    "all is well", "dinner is ready", "welcome home", "happy birthday", "open sesame", "tea is ready",
    "the early bird catches the worm", "one two three", "blue whale", "red lorry yellow lorry", "thank you all",
    "good night and sleep well", "nice to meet you", "cheese", "I like trains", "let us begin", "time to go",
    "the sun is shining", "be careful", "come here", "please sit down", "apple", "this is great",
    "breakfast is ready", "we are the champions", "stop that", "so long", "hocus pocus", "my dear friend",
)  # fmt: skip


def _copied(
    rng: random.Random, split: Split, words: tuple[str, ...], forms: Phrasings, rare: float = 0.15
) -> tuple[str, str]:
    """A word and a sentence around it."""
    held_form = split == "heldout" and rng.random() < 0.4
    word, form = draw_until(
        lambda: (
            invented(rng) if rng.random() < rare else rng.choice(words),
            forms.pick(rng, "heldout" if held_form else "train"),
        ),
        lambda pair: held_form or is_held_combination(*pair) == (split == "heldout"),
    )
    return word, form.format(word)


def _tell_name(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    name = draw_until(lambda: person(rng), lambda n: is_held_combination("name", n) == (split == "heldout"))
    scene.user_name = name
    turn = Turn(TELL_NAME.pick(rng, "train").format(name), f"Nice to meet you, {name}!",
                expects("nice to meet you", name))  # fmt: skip
    return [turn, *_ask_name(rng, split, scene)] if rng.random() < 0.3 else [turn]


def _ask_name(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    question = ASK_NAME.pick(rng, split)
    if scene.user_name:
        return [Turn(question, f"Your name is {scene.user_name}.", expects("your name is", scene.user_name))]
    reply = "I don't know your name yet. What is it?"
    return [Turn(question, reply, lambda text: mentions(text, "don't know your name"))]


def _greet(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    name = draw_until(lambda: person(rng), lambda n: is_held_combination("greet", n) == (split == "heldout"))
    return [Turn(GREET.pick(rng, split).format(name), f"Hello, {name}! Nice to meet you.",
                 expects("hello", name))]  # fmt: skip


def _like(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    thing, question = _copied(rng, split, HOBBIES, LIKE)
    return [Turn(question, f"That's nice! What do you like about {thing}?", expects("nice", thing))]


def _dislike(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    thing, question = _copied(rng, split, HOBBIES, DISLIKE)
    reply = f"I see, you don't like {thing}. What do you like instead?"
    return [Turn(question, reply, expects("I see", thing))]


def _have(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    thing, question = _copied(rng, split, BELONGINGS, HAVE)
    return [Turn(question, f"How nice! Tell me more about your {thing}.", expects("your", thing))]


def _repeat(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    words, question = _copied(rng, split, SAYINGS, REPEAT, rare=0.3)
    reply = f"{words[:1].upper()}{words[1:]}."
    return [Turn(question, reply, lambda text: normal(text) == normal(words))]


def _statement(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    reply = rng.choice(("That sounds interesting! Tell me more.", "I see! How do you like that?"))
    return [Turn(STATEMENTS.pick(rng, split), reply,
                 lambda text: mentions(text, "tell me more") or mentions(text, "how do you like that"))]  # fmt: skip


MAKERS: tuple[tuple[Callable[[random.Random, Split, Scene], list[Turn]], int], ...] = (
    (_tell_name, 26), (_ask_name, 8), (_greet, 10), (_like, 16), (_dislike, 8), (_have, 9), (_repeat, 12),
    (_statement, 11),
)  # fmt: skip


def make_personal(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Something about the user, or something to repeat."""
    maker = rng.choices([maker for maker, _ in MAKERS], [share for _, share in MAKERS])[0]
    return maker(rng, split, scene)
