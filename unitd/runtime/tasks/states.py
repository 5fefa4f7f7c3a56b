"""The states of a task and of an inference, and the tables of what may follow each of them.

A task moves into a child, is set up there, and works until it ends. When the child dies, the task is away until the
next child is ready. A pause is no state of the task: it holds in each of them.

An inference waits, is due when its turn comes, and is computed in the child until its one finish frame. One that may
use tools is at its tools first and after each round of calls, and is due again when the calls are done.

A step that the table does not have is not taken.
"""

from collections.abc import Mapping, Set
from enum import Enum, auto


class TaskState(Enum):
    """Whether a task can work in its child."""

    AWAY = auto()  # not set up: its child loads, is restarted or could not be started, or the task changes its child
    SETTING_UP = auto()  # the child has the setup and has not answered
    SLOW = auto()  # the same, for so long that the next daemon must know, or after the client was told the work_id
    READY = auto()  # set up
    REFUSED = auto()  # the unit does not accept the setup
    FAILED = auto()  # too many children died of it: it is not set up again
    ENDING = auto()


_ANY = {TaskState.AWAY, TaskState.FAILED, TaskState.ENDING}

TASK_STEPS: Mapping[TaskState, Set[TaskState]] = {
    TaskState.AWAY: _ANY | {TaskState.SETTING_UP},
    TaskState.SETTING_UP: _ANY | {TaskState.SLOW, TaskState.READY, TaskState.REFUSED},
    TaskState.SLOW: _ANY | {TaskState.READY, TaskState.REFUSED},
    TaskState.READY: _ANY,
    TaskState.REFUSED: _ANY,
    TaskState.FAILED: _ANY,
    TaskState.ENDING: set(),
}


class InferenceState(Enum):
    """How far an inference is."""

    WAITING = auto()  # others come first
    DUE = auto()  # its turn has come, and the child does not have it yet
    COMPUTING = auto()  # the child has it
    HELD = auto()  # the child has it and stopped it by the pause policy of its task
    CUT = auto()  # its end was asked for: nothing more of it may be heard
    AT_TOOLS = auto()  # it is being recognised, or calls are being done; the child does not have it until then
    OVER = auto()  # its finish frame was sent
    CUT_SHORT = auto()  # the same, after a cut


_S = InferenceState

INFERENCE_STEPS: Mapping[InferenceState, Set[InferenceState]] = {
    _S.WAITING: {_S.DUE, _S.CUT, _S.OVER},
    _S.DUE: {_S.COMPUTING, _S.AT_TOOLS, _S.OVER},
    _S.COMPUTING: {_S.HELD, _S.CUT, _S.AT_TOOLS, _S.OVER},
    _S.HELD: {_S.COMPUTING, _S.CUT, _S.AT_TOOLS, _S.OVER},
    _S.CUT: {_S.CUT_SHORT},
    _S.AT_TOOLS: {_S.DUE, _S.OVER},
    _S.OVER: set(),
    _S.CUT_SHORT: set(),
}

IN_CHILD = frozenset({_S.COMPUTING, _S.HELD, _S.CUT})
"""The states in which the child has the inference."""
