"""The states of a task and of an inference, and the events that lead from one state to the next.

A task moves into a child, is set up there, and works until it ends. If the child dies, the task is away until the next
child is ready. A pause is not a state of the task: it holds in each of them.

An inference waits, is due when it is its turn, and is computed in the child until its one finish frame. An answer that
uses tools leaves the child after each round of calls and is due again when they are done.

An event that does not stand in the row of a state changes nothing there.
"""

from collections.abc import Mapping
from enum import Enum, auto


class TaskState(Enum):
    """Whether a task can work in its child."""

    AWAY = auto()
    """The task is not set up: its child loads, is restarted or could not be started, or the task changes its child."""

    SETTING_UP = auto()
    """The child has the setup and has not answered."""

    SLOW = auto()
    """The same, for so long that the next daemon must know of it, or after the client was told its work_id."""

    READY = auto()
    """The task is set up."""

    REFUSED = auto()
    """The unit refuses the setup."""

    FAILED = auto()
    """Children died of the task too often; it is not set up again."""

    ENDING = auto()
    """The task is being ended."""


class TaskEvent(Enum):
    """What happens to a task."""

    CHILD_READY = auto()
    SLOW = auto()
    ACCEPTED = auto()
    REFUSED = auto()
    LOST = auto()
    """The child died or could not be started."""

    LEFT = auto()
    """The task leaves its child for another one, or for another setup in the same one."""

    FAILED = auto()
    ENDED = auto()


_IN_ANY_STATE = {TaskEvent.LEFT: TaskState.AWAY, TaskEvent.FAILED: TaskState.FAILED, TaskEvent.ENDED: TaskState.ENDING}
_IN_A_CHILD = _IN_ANY_STATE | {TaskEvent.LOST: TaskState.AWAY}
_ANSWERED = _IN_A_CHILD | {TaskEvent.ACCEPTED: TaskState.READY, TaskEvent.REFUSED: TaskState.REFUSED}

TASK_TRANSITIONS: Mapping[TaskState, Mapping[TaskEvent, TaskState]] = {
    TaskState.AWAY: _IN_ANY_STATE | {TaskEvent.CHILD_READY: TaskState.SETTING_UP},
    TaskState.SETTING_UP: _ANSWERED | {TaskEvent.SLOW: TaskState.SLOW},
    TaskState.SLOW: _ANSWERED,
    TaskState.READY: _IN_A_CHILD,
    TaskState.REFUSED: _IN_ANY_STATE,
    TaskState.FAILED: _IN_ANY_STATE,
    TaskState.ENDING: {},
}


class InferenceState(Enum):
    """How far an inference is."""

    WAITING = auto()
    """Others come first."""

    DUE = auto()
    """It is the inference's turn, and the child does not have it yet."""

    COMPUTING = auto()
    """The child has it."""

    HELD = auto()
    """The child has it and stopped it by the pause policy of its task."""

    CUT = auto()
    """Its end was asked for: nothing more of it may be heard."""

    AT_TOOLS = auto()
    """A round of calls has ended; the child does not have the inference until the calls are done."""

    OVER = auto()
    """Its finish frame was sent."""

    CUT_SHORT = auto()
    """The same, for an inference that was cut."""


class InferenceEvent(Enum):
    """What happens to an inference."""

    TAKEN = auto()
    SENT = auto()
    HELD = auto()
    RESUMED = auto()
    CUT = auto()
    ROUND_ENDED = auto()
    ROUND_BEGINS = auto()
    FINISHED = auto()


_S, _E = InferenceState, InferenceEvent

INFERENCE_TRANSITIONS: Mapping[InferenceState, Mapping[InferenceEvent, InferenceState]] = {
    _S.WAITING: {_E.TAKEN: _S.DUE, _E.CUT: _S.CUT, _E.FINISHED: _S.OVER},
    _S.DUE: {_E.SENT: _S.COMPUTING, _E.FINISHED: _S.OVER},
    _S.COMPUTING: {_E.HELD: _S.HELD, _E.CUT: _S.CUT, _E.ROUND_ENDED: _S.AT_TOOLS, _E.FINISHED: _S.OVER},
    _S.HELD: {_E.RESUMED: _S.COMPUTING, _E.CUT: _S.CUT, _E.ROUND_ENDED: _S.AT_TOOLS, _E.FINISHED: _S.OVER},
    _S.CUT: {_E.FINISHED: _S.CUT_SHORT},
    _S.AT_TOOLS: {_E.ROUND_BEGINS: _S.DUE, _E.FINISHED: _S.OVER},
    _S.OVER: {},
    _S.CUT_SHORT: {},
}

IN_CHILD = frozenset({_S.COMPUTING, _S.HELD, _S.CUT})
"""The states in which the child has the inference."""
