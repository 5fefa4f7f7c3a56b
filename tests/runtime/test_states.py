"""Covers unitd.runtime.tasks.states and unitd.runtime.tasks.queue: what may follow what, and who comes next."""

import pytest

from unitd.runtime.tasks.output import Inference
from unitd.runtime.tasks.queue import InferenceQueue
from unitd.runtime.tasks.states import INFERENCE_STEPS, TASK_STEPS, InferenceState, TaskState


def an_inference(text: str = "hello") -> Inference:
    """One that a link asks for."""
    return Inference("1", None, text)


def test_every_state_has_its_row() -> None:
    """The tables of tasks and of inferences have a row for each state."""
    assert set(TASK_STEPS) == set(TaskState)
    assert set(INFERENCE_STEPS) == set(InferenceState)


def test_a_task_may_end_in_every_state_and_goes_on_from_none_of_its_ends() -> None:
    """A task or an inference that has ended takes no further step."""
    assert [state for state in TaskState if TaskState.ENDING not in TASK_STEPS[state]] == [TaskState.ENDING]
    assert not TASK_STEPS[TaskState.ENDING]


@pytest.mark.parametrize("end", [InferenceState.OVER, InferenceState.CUT_SHORT])
def test_nothing_follows_the_end_of_an_inference(end: InferenceState) -> None:
    """An inference has one finish frame."""
    inference = an_inference()
    inference.state = end

    for state in InferenceState:
        inference.advance(state)

    assert inference.state is end


def test_an_answer_that_was_cut_is_never_heard_again() -> None:
    """A cut answer stays cut, whatever the child still sends."""
    inference = an_inference()
    for state in (InferenceState.DUE, InferenceState.COMPUTING, InferenceState.CUT):
        inference.advance(state)

    inference.advance(InferenceState.HELD)
    inference.advance(InferenceState.AT_TOOLS)
    inference.advance(InferenceState.OVER)

    assert (inference.is_cut, inference.is_in_child, inference.is_over) == (True, True, False)


def test_an_answer_that_uses_tools_comes_to_the_child_again() -> None:
    """After each round of calls."""
    inference = an_inference()
    steps = (InferenceState.DUE, InferenceState.COMPUTING, InferenceState.AT_TOOLS) * 2

    seen = []
    for state in steps:
        inference.advance(state)
        seen.append(inference.is_in_child)

    assert seen == [False, True, False] * 2


def test_inferences_run_one_at_a_time_in_their_order() -> None:
    """And have numbers from 1."""
    queue, (first, second) = InferenceQueue(), (an_inference("first"), an_inference("second"))
    queue.add(first)
    queue.add(second)

    taken = [queue.take_next(), queue.take_next()]

    assert (taken, queue.running, len(queue)) == ([True, False], first, 1)
    assert (first.number, second.number) == (1, 2)


def test_what_is_dropped_waits_for_the_end_of_what_runs() -> None:
    """The rest stays in the queue."""
    queue, inferences = InferenceQueue(), [an_inference(text) for text in ("runs", "goes", "stays")]
    for inference in inferences:
        queue.add(inference)
    queue.take_next()

    queue.drop(lambda inference: inference.data == "goes")

    assert queue.take_all() == [inferences[0], inferences[2]]
    assert (queue.take_dropped(), queue.take_dropped()) == ([inferences[1]], [])
