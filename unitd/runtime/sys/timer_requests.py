"""`sys.timer`: what clients do with timers, and the frames that tell of them.

A token sees and changes the timers that were set in its name, as it does tasks; an observer sees all and changes none.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

from unitd.core.access.grants import Role, sees
from unitd.core.outcomes import Reason
from unitd.core.tasks.table import Client
from unitd.runtime.dispatcher import Call, Handler
from unitd.runtime.skills.actions import ActionFailed, Where
from unitd.runtime.skills.timer_actions import Arguments, Done, TimerActions
from unitd.runtime.skills.timer_table import TimerEvent, TimerTable
from unitd.wire.errors import BadField, NotAllowed, Unavailable
from unitd.wire.messages import Reply

STREAM = "sys.timer.stream"

ACTIONS = {
    "list": "timer_list",
    "start": "timer_start",
    "alarm": "alarm_set",
    "change": "timer_change",
    "pause": "timer_pause",
    "resume": "timer_resume",
    "cancel": "timer_cancel",
    "stop": "timer_stop",
    "snooze": "timer_snooze",
}
"""What a client may do, each with its action."""

SUBSCRIBE, UNSUBSCRIBE = "subscribe", "unsubscribe"
_SEEING = ("list", SUBSCRIBE, UNSUBSCRIBE)


class TimerRequests:
    """The handler of `sys.timer`."""

    def __init__(self, table: TimerTable, actions: TimerActions) -> None:
        self._actions = actions
        self._subscriptions: dict[Client, str] = {}
        """The request_id of each subscriber."""

        table.follow(self._tell)

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """Return the handler by action of sys."""
        return {"timer": self._answer}

    def forget_client(self, client: Client) -> None:
        """Tell nothing more to a client that is gone."""
        self._subscriptions.pop(client, None)

    async def _answer(self, call: Call) -> Reply:
        try:
            return call.ok(object="sys.timer", data=await self._do(call))
        except ActionFailed as failure:
            error = BadField if failure.reason is Reason.NOT_ALLOWED else Unavailable
            raise error(str(failure)) from failure

    async def _do(self, call: Call) -> Done:
        data = call.request.data if isinstance(call.request.data, dict) else {}
        given, grant = Arguments(data), call.client.grant
        if (wish := given.one_of("do", "", (*ACTIONS, SUBSCRIBE, UNSUBSCRIBE))) == "":
            raise given.refusal("do", f"one of {', '.join((*ACTIONS, SUBSCRIBE, UNSUBSCRIBE))}")
        if grant.role is Role.OBSERVE and wish not in _SEEING:
            raise NotAllowed(f"sys.timer {wish} is not for the role {grant.role.value!r}")
        if wish == SUBSCRIBE:
            self._subscriptions[call.client] = call.request.request_id
        elif wish == UNSUBSCRIBE:
            self._subscriptions.pop(call.client, None)
        where = Where(grant_name=grant.name)
        return await self._actions.do(ACTIONS.get(wish, "timer_list"), data, where, partial(sees, grant))

    def _tell(self, event: TimerEvent) -> None:
        """Tell everybody who has subscribed and may see the timer."""
        for client, request_id in list(self._subscriptions.items()):
            if client.is_gone:
                del self._subscriptions[client]
            elif sees(client.grant, event.timer.grant_name):
                client.send(Reply(request_id, "sys", STREAM, told(event)))


def told(event: TimerEvent) -> dict[str, Any]:
    """Return the data of the frame that tells of an event."""
    reason = {"reason": event.reason} if event.reason else {}
    return {"event": event.happening.value, "timer": event.row, **reason}
