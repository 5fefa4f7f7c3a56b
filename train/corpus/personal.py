"""Statements of users about themselves: names to remember, likes, things to repeat."""

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
from train.corpus.personal_words import BELONGINGS, HOBBIES, SAYINGS, STATEMENTS

TELL_NAME = Phrasings(
    ["my name is {}", "I'm {}", "I am {}", "call me {}", "my name's {}", "hello, my name is {}", "hi, I'm {}",
     "you can call me {}", "I am called {}", "hey, I am {}", "please call me {}", "the name is {}",
     "my friends call me {}", "hello, I am {}", "hi, my name is {}", "hello I'm {}", "this is {} speaking",
     "people call me {}", "everyone calls me {}", "my first name is {}", "it's {}", "it is {}, by the way",
     "I go by {}", "just call me {}", "they call me {}", "hello there, {} here", "{} here", "{} is my name",
     "{} is the name", "my parents named me {}", "I was named {}", "from now on call me {}",
     "let me introduce myself, I'm {}", "allow me to introduce myself, my name is {}", "good morning, I am {}",
     "good evening, my name is {}", "nice to meet you, I'm {}", "my name is {}, what's yours",
     "remember my name, it's {}", "please remember that my name is {}", "you are talking to {}",
     "you're speaking with {}", "I'm {}, by the way", "by the way, my name is {}", "well, I am called {}",
     "my nickname is {}", "for you I am {}", "I'd like you to call me {}", "I want you to call me {}",
     "could you call me {}", "can you call me {}", "do call me {}", "everybody knows me as {}", "I am known as {}",
     "hey there, my name is {}", "so, I'm {}", "the name's {}"]
)  # fmt: skip
ASK_NAME = Phrasings(
    ["what's my name", "what is my name", "do you know my name", "who am I", "say my name",
     "can you tell me my name", "tell me my name", "do you remember my name", "what am I called",
     "do you still know my name", "what did I say my name was",
     "what was my name", "what was my name again", "what's my name again", "do you know who I am",
     "do you remember who I am", "who am I again", "can you remember my name", "could you tell me my name",
     "could you say my name", "please tell me my name", "please say my name", "what do you call me",
     "how do you call me", "how am I called", "which name did I tell you", "what name did I give you",
     "what did I tell you my name was", "I told you my name, what is it", "did I tell you my name",
     "have I told you my name", "did you forget my name", "have you forgotten my name", "you know my name, right",
     "you remember my name, don't you", "what is the name I told you", "tell me who I am", "tell me what my name is",
     "say my name please", "do you recall my name", "can you recall my name", "and what is my name",
     "so what's my name", "are you able to remember my name", "I forgot my name, what is it", "what's my first name",
     "guess what my name is", "my name, please", "what name do I have", "who are you talking to",
     "who is talking to you"]
)  # fmt: skip
GREET = Phrasings(
    ["say hello to {}", "say hi to {}", "greet {}", "please say hello to {}", "can you say hello to {}",
     "this is my friend {}", "say hi to my friend {}", "say hello to my friend {}", "meet {}",
     "here is my friend {}", "my friend {} is here", "this is my [brother|sister|wife|husband|neighbor] {}",
     "I want you to meet {}", "greet my friend {}", "say hello to my [brother|sister|mom|dad] {}",
     "say good morning to {}", "say hey to {}", "say a quick hello to {}", "welcome {}", "please welcome {}",
     "please greet {}", "can you greet {}", "could you greet {}", "could you say hi to {}",
     "would you say hello to {}", "give {} a warm welcome", "{} is here, say hello", "{} is here, say hi",
     "{} just came in, say hello", "{} has arrived", "{} has come to visit", "{} wants to say hello",
     "{} wants to meet you", "{} would like to meet you", "let me introduce {}", "may I introduce {}",
     "let me introduce you to {}", "I'd like to introduce {}", "I'd like you to meet {}", "come and meet {}",
     "have you met {}", "you haven't met {} yet", "please meet {}", "please meet my friend {}",
     "my [cousin|uncle|aunt|colleague|neighbor] {} is here", "this is my [cousin|uncle|aunt|boss|colleague] {}",
     "here comes {}", "here is {}", "this is {}, say hello", "say hello to our guest {}", "our guest {} is here",
     "our visitor is called {}, say hello", "next to me is {}", "I'm here with {}, say hi", "with me is my friend {}",
     "send {} a greeting", "wave to {}"]
)  # fmt: skip
LIKE = Phrasings(
    ["I like {}", "I love {}", "I really like {}", "I enjoy {}", "my hobby is {}", "I'm a fan of {}",
     "I like {} very much", "I'm interested in {}", "I really love {}", "my favorite thing is {}", "I am into {}",
     "I love {} so much", "{} is my hobby", "I am a [big|huge] fan of {}", "I'm a [big|great] fan of {}",
     "I [adore|prefer] {}", "I'm really into {}", "I like {} a lot",
     "I'm fond of {}", "I am very fond of {}", "I'm crazy about {}", "I am mad about {}", "I can't get enough of {}",
     "I can't live without {}", "I couldn't live without {}", "{} makes me happy", "{} always makes me smile",
     "nothing beats {}", "there is nothing better than {}", "{} is the best", "{} is the best thing ever",
     "{} is my favorite", "{} is my thing", "{} is my passion", "my passion is {}", "my great love is {}",
     "my favorite hobby is {}", "my biggest hobby is {}", "one of my hobbies is {}", "what I like most is {}",
     "what I love is {}", "the thing I like best is {}", "I have always loved {}", "I've always liked {}",
     "I have liked {} since I was a child", "I'm a big lover of {}", "I'm a lover of {}", "I find {} wonderful",
     "I think {} is great", "in my free time I enjoy {}", "I do enjoy {}", "I quite like {}", "I also like {}",
     "I like {} too", "I am interested in {}", "I take great pleasure in {}",
     "I'm [totally|completely|absolutely] into {}", "I have a soft spot for {}", "we both love {}", "we all like {}",
     "for me it's all about {}", "I get excited about {}"]
)  # fmt: skip
DISLIKE = Phrasings(
    ["I hate {}", "I don't like {}", "I can't stand {}", "I really hate {}", "I do not like {}",
     "I dislike {}", "I don't enjoy {}", "I don't like {} at all", "{} is not for me",
     "I [strongly|really] dislike {}", "I hate {} so much",
     "I can't bear {}", "I cannot stand {}", "I can not stand {}", "I detest {}", "I'm not a fan of {}",
     "I am no fan of {}", "I'm not into {}", "I'm not fond of {}", "I am not interested in {}", "I never liked {}",
     "I have never liked {}", "I've always hated {}", "I don't care for {}", "I don't really like {}",
     "I really don't like {}", "I do not enjoy {}", "I don't love {}", "I'm sick of {}", "I'm tired of {}",
     "I have had enough of {}", "I've had enough of {}", "{} is not my thing", "{} isn't my thing", "{} is boring",
     "{} is awful", "{} is terrible", "{} bores me", "{} annoys me", "{} gets on my nerves",
     "nothing is worse than {}", "there is nothing worse than {}", "I find {} boring", "I find {} terrible",
     "I think {} is awful", "I try to avoid {}", "I could do without {}", "I can do without {}", "what I hate is {}",
     "what I don't like is {}", "the thing I hate most is {}", "I'm no friend of {}", "we both hate {}",
     "I don't like {} very much", "keep me away from {}"]
)  # fmt: skip
HAVE = Phrasings(
    ["I have a {}", "I've got a {}", "I bought a {}", "I got a {}", "we have a {}", "I own a {}",
     "I have a new {}", "we got a {}", "I bought a new {}", "I am the owner of a {}", "I [now|also] own a {}",
     "there is a {} at my home",
     "my new {} is here", "I do own a {}",
     "I just bought a {}", "I just got a {}", "I finally have a {}", "I finally got a {}", "I finally bought a {}",
     "I have bought a {}", "I've bought a {}", "I was given a {}", "I got a {} for my birthday",
     "I got a {} for Christmas", "I have got a {}", "I have my own {}", "I've got a new {}", "we have a new {}",
     "we own a {}", "we bought a {}", "we've got a {}", "we just got a {}", "at home I have a {}",
     "at home we have a {}", "I have a {} at home", "I have a {} in my room", "there's a {} in my house",
     "I have had a {} for years", "I've had a {} for a long time", "I also have a {}", "I possess a {}",
     "my family has a {}", "my family owns a {}", "my parents gave me a {}", "my wife gave me a {}",
     "my husband bought me a {}", "my friend gave me a {}", "look, I have a {}", "guess what, I got a {}",
     "guess what, I have a new {}", "yesterday I bought a {}", "last week I got a {}", "today I bought a {}",
     "I'm the proud owner of a {}", "I am so proud of my new {}", "I treated myself to a {}", "I keep a {}",
     "I am getting a {}", "my {} is brand new", "I have an old {}", "I have a little {}", "I have a beautiful {}"]
)  # fmt: skip
REPEAT = Phrasings(
    ["repeat after me: {}", "say {}", "repeat: {}", "repeat after me, {}", "please say {}", "can you say {}",
     "now say {}", "please repeat {}", "say the words {}",
     "repeat these words: {}", "repeat this: {}", "say this: {}", "say after me: {}", "say the following: {}",
     "repeat the following: {}", "could you say {}", "could you repeat {}", "can you repeat {}", "will you say {}",
     "would you say {}", "please say the words {}", "please repeat after me: {}", "please repeat the words {}",
     "just say {}", "simply say {}", "just repeat {}", "now repeat {}", "and now say {}", "I want you to say {}",
     "I'd like you to say {}", "I want to hear you say {}", "let me hear you say {}", "say out loud: {}",
     "read out: {}", "read this aloud: {}", "say aloud {}", "speak these words: {}", "speak after me: {}", "echo {}",
     "echo this: {}", "answer with the words {}", "reply with {}", "say exactly this: {}", "repeat word for word: {}",
     "say it like this: {}", "try to say {}", "are you able to say {}", "you should say {}", "your line is: {}",
     "repeat what I say: {}", "say what I say: {}", "tell everyone: {}", "pronounce {}"]
)  # fmt: skip


def _copied(
    rng: random.Random, split: Split, words: tuple[str, ...], forms: Phrasings, rare: float = 0.3
) -> tuple[str, str]:
    """Return a word and a sentence around it."""
    held_form = split == "heldout" and rng.random() < 0.4
    word, form = draw_until(
        lambda: (
            invented(rng) if rng.random() < rare else rng.choice(words),
            forms.pick(rng, "heldout" if held_form else "train"),
        ),
        lambda pair: held_form or is_held_combination(*pair) == (split != "train"),
    )
    return word, form.format(word)


def _tell_name(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    name = draw_until(lambda: person(rng), lambda n: is_held_combination("name", n) == (split != "train"))
    scene.user_name = name
    turn = Turn(TELL_NAME.pick(rng, "train").format(name), f"Nice to meet you, {name}!",
                expects("nice to meet you", name))  # fmt: skip
    return [turn, *ask_name(rng, split, scene)] if rng.random() < 0.3 else [turn]


def ask_name(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return the turn in which the user asks for his own name."""
    question = ASK_NAME.pick(rng, split)
    if scene.user_name:
        return [Turn(question, f"Your name is {scene.user_name}.", expects("your name is", scene.user_name))]
    reply = "I don't know your name yet. What is it?"
    return [Turn(question, reply, lambda text: mentions(text, "don't know your name"))]


def _greet(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    name = draw_until(lambda: person(rng), lambda n: is_held_combination("greet", n) == (split != "train"))
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
    words, question = _copied(rng, split, SAYINGS, REPEAT, rare=0.4)
    reply = f"{words[:1].upper()}{words[1:]}."
    return [Turn(question, reply, lambda text: normal(text) == normal(words))]


def _statement(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    reply = rng.choice(("That sounds interesting! Tell me more.", "I see! How do you like that?"))
    return [Turn(STATEMENTS.pick(rng, split), reply,
                 lambda text: mentions(text, "tell me more") or mentions(text, "how do you like that"))]  # fmt: skip


MAKERS: tuple[tuple[Callable[[random.Random, Split, Scene], list[Turn]], int], ...] = (
    (_tell_name, 26), (ask_name, 8), (_greet, 10), (_like, 16), (_dislike, 8), (_have, 9), (_repeat, 12),
    (_statement, 11),
)  # fmt: skip


def make_personal(rng: random.Random, split: Split, scene: Scene) -> list[Turn]:
    """Return turns about the user, or with something to repeat."""
    maker = rng.choices([maker for maker, _ in MAKERS], [share for _, share in MAKERS])[0]
    return maker(rng, split, scene)
