"""Covers unitd.runtime.tasks.tool_loop and tool_messages: a call that fetches a picture is answered by the model."""

import base64
from typing import Any

from tests.support.home.tool_use import ON, PICTURE, UNKNOWN, Hands, Inference, Program, a_call, a_use, nothing

LOOK = a_call("look_at", "front door camera")
IMAGE = {"image": base64.b64encode(PICTURE).decode()}
QUESTION = "what do you see on the front door camera?"
RECOGNISED: dict[str, Any] = {"turn": 1, "calls": [LOOK]}


def a_look(program: Program, inference: Inference, **more: Any) -> Any:
    """Return the use of tools by a model with vision."""
    return a_use(Hands(ON), program, inference, QUESTION, sees=True, **more)


async def test_a_picture_goes_with_the_question_to_the_model() -> None:
    """The model calls nothing then, and its words are the answer."""
    inference = Inference()

    answer = await a_look(Program(RECOGNISED, {"answer": ""}), inference).answer(nothing)

    assert answer is None
    assert inference.told == [LOOK]
    assert inference.asked == [{"images": [IMAGE], "tool_choice": "none"}]
    assert inference.said == []


async def test_the_model_is_asked_what_the_program_says() -> None:
    """The sentence may be the reply to a question back, or only a part of it is about the camera."""
    inference = Inference()
    program = Program(RECOGNISED, {"answer": "", "question": QUESTION})

    await a_use(Hands(), program, inference, "the front door", sees=True).answer(nothing)

    assert inference.questions == [QUESTION]


async def test_pictures_of_the_client_stay_with_the_question() -> None:
    """The one of the camera is the last."""
    inference, own = Inference(), {"image": "AAAA"}

    await a_look(Program(RECOGNISED, {"answer": ""}), inference, setup={"images": [own]}).answer(nothing)

    assert inference.asked[0]["images"] == [own, IMAGE]


async def test_a_conversation_of_the_client_has_the_picture_in_its_last_question() -> None:
    """The messages before it stay as they are, and so does what the question shows already."""
    inference = Inference()
    before = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "Hi."}]
    asked = {"role": "user", "content": [{"type": "text", "text": QUESTION}]}
    setup = {"messages": [*before, asked]}

    program = Program(RECOGNISED, {"answer": "", "question": QUESTION})
    await a_look(program, inference, setup=setup).answer(nothing)

    shown = {"role": "user", "content": [{"type": "image", **IMAGE}, {"type": "text", "text": QUESTION}]}
    assert inference.asked == [{"messages": [*before, shown], "tool_choice": "none"}]
    assert setup["messages"][-1] == asked
    assert inference.questions == [""]


async def test_what_else_was_done_is_said_before_the_model_answers() -> None:
    """One sentence may switch a light and ask for a picture."""
    inference = Inference()
    program = Program({"turn": 1, "calls": [a_call(), LOOK]}, {"answer": "Turned on the light."})

    assert await a_look(program, inference).answer(nothing) is None
    assert inference.said == ["Turned on the light. "]
    assert inference.asked == [{"images": [IMAGE], "tool_choice": "none"}]


async def test_without_a_program_the_daemon_says_what_else_was_done() -> None:
    """It has died in mid turn."""
    inference = Inference()

    await a_look(Program({"turn": 1, "calls": [a_call(), LOOK]}), inference).answer(nothing)

    assert inference.said == [f"{ON} "]


async def test_a_picture_that_a_model_wants_is_shown_to_it() -> None:
    """With the candidates that it had, and without the calls: the question is asked anew."""
    inference = Inference([LOOK])

    answer = await a_look(Program(UNKNOWN), inference).answer(nothing)

    assert answer is None
    shown = {"prompt": "kitchen light, desk lamp", "images": [IMAGE], "tool_choice": "none"}
    assert inference.asked == [{"prompt": "kitchen light, desk lamp"}, shown]
    assert inference.said == []


async def test_a_model_may_look_after_its_first_calls() -> None:
    """The results of these stay in the conversation, and are said."""
    inference = Inference([a_call()], [LOOK])

    assert await a_look(Program(UNKNOWN), inference).answer(nothing) is None

    results, shown = inference.asked[1]["messages"], inference.asked[2]["messages"]
    assert [each["role"] for each in shown] == [each["role"] for each in results] == [
        "system", "user", "assistant", "tool",
    ]  # fmt: skip
    assert shown[1]["content"] == [{"type": "image", **IMAGE}, {"type": "text", "text": QUESTION}]
    assert inference.said == [f"{ON} "]


async def test_the_tokens_of_all_rounds_are_counted() -> None:
    """That of the call, and that of the answer."""
    use = a_look(Program(UNKNOWN), Inference([LOOK]))

    await use.answer(nothing)

    assert use.usage == {"total_tokens": 20}
