"""What people say after a call: whether it worked, why not, "try again", thanks, and complaints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from train.corpus.names import invented
from train.corpus.tools.phrases import form, reply, words_chat
from train.corpus.tools.requests import SAID, SUCCESSES, Asked, Place, action
from train.corpus.tools.unclear import Episode
from train.corpus.tools.words import REASONS

BEFORE = {"on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked"}


def _state(asked: Asked) -> str:
    return SAID[asked.meaning].format(**dict(asked.values))


def _failed(place: Place, asked: Asked, reason: str) -> Asked:
    result = f"error: {reason}" if place.rng.random() < 0.65 else f'{{"error": "{reason}"}}'
    return replace(asked, results=(result,), answer=f"I'm sorry, that did not work: {reason}.")


def after_failure(place: Place) -> Episode | None:
    """Return a command that fails, questions about it, and further attempts."""
    rng = place.rng
    asked = action(place)
    if not asked:
        return None
    reason = f"{invented(rng)} {rng.choice(REASONS)}" if rng.random() < 0.15 else rng.choice(REASONS)
    exchanges = [_failed(place, asked, reason)]
    if rng.random() < 0.45:
        answer = reply(place, "aftermath", "failed answers", reason=reason)
        exchanges.append(words_chat(form(place, "aftermath", "worked").format(state=_state(asked)), answer, "after"))
    if rng.random() < 0.55:
        answer = reply(place, "aftermath", "reason answers", reason=reason)
        exchanges.append(words_chat(form(place, "aftermath", "reason"), answer, "after"))
    while rng.random() < 0.75 and len(exchanges) < 5:
        again = replace(asked, text=form(place, "aftermath", "again"), kind="again")
        if rng.random() < 0.7:
            return (*exchanges, again, *_comment(place, asked))
        exchanges.append(_failed(place, again, rng.choice(REASONS)))
    return tuple(exchanges)


def after_success(place: Place) -> Episode | None:
    """Return a command that succeeds, and what is said then."""
    asked = action(place)
    return (asked, *_comment(place, asked, share=1.0)) if asked else None


def _comment(place: Place, asked: Asked, share: float = 0.4) -> Sequence[Asked]:
    """Return what the user says after a success, possibly nothing."""
    rng = place.rng
    if rng.random() > share:
        return ()
    block = rng.choices(("thanks", "praise", "worked", "nothing seen", "wrong", "nod"), (20, 22, 20, 14, 8, 12))[0]
    state = _state(asked)
    if block == "nothing seen":
        return _doubted(place, asked)
    text = form(place, "aftermath", block).format(state=state)
    answers = f"{block} answers"
    if block == "worked" and asked.entity and asked.entity.is_several:
        answers += " several"
    return (words_chat(text, reply(place, "aftermath", answers, state=state), "after"),)


def _doubted(place: Place, asked: Asked) -> Sequence[Asked]:
    """Return that the user sees no effect, and the second attempt."""
    rng, state = place.rng, _state(asked)
    text = form(place, "aftermath", "nothing seen")
    if "{before}" in text and state not in BEFORE:
        return ()
    doubt = words_chat(
        text.format(state=state, before=BEFORE.get(state, "")),
        reply(place, "aftermath", "nothing seen answers"),
        "after",
    )
    draw = rng.random()
    if draw < 0.3:
        return (doubt,)
    if draw < 0.5:
        return doubt, words_chat(form(place, "unclear", "no"), reply(place, "unclear", "no answers"))
    said = form(place, "unclear", "yes") if draw < 0.75 else form(place, "aftermath", "again")
    return doubt, replace(asked, text=said, kind="again", results=(rng.choice(SUCCESSES),))
