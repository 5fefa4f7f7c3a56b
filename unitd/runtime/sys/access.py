"""Which grant a client has, whether a request is within it, and how often wrong tokens may be tried.

Every request passes `check` before its handler, whatever door it came by: trusted clients at the cost of one
comparison. What a token may do is looked up at each request, so that one that was revoked or is over ends at once.
Wrong tokens of one address are answered at once a few times; then the address has to wait, twice as long each time.
A right token does not wait: it cannot be guessed, and its holder may share an address, a proxy's say, with a guesser.
The configuration's own key, which people make up, waits.
"""

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from unitd.core.access.grants import (
    AUTH,
    STRANGER,
    TRUSTED,
    UNLIMITED,
    WHOAMI,
    Grant,
    Role,
    check_request,
    is_other_owner,
    is_this_machine,
    network_of,
    sees,
)
from unitd.core.access.rate_limit import SlidingWindow
from unitd.core.access.tokens import KEY_NAME, Token, TokenBook, read_tokens
from unitd.core.config.schema import Settings
from unitd.core.repeats import backoff_seconds, is_doubling
from unitd.core.tasks.table import Client, TaskTable, missing_input, missing_task
from unitd.runtime.dispatcher import Answer, Call, Handler
from unitd.runtime.metrics import Metrics
from unitd.wire.errors import BadField, ConfigError, NotAllowed, TaskFull, Unavailable
from unitd.wire.messages import Request

log = logging.getLogger("unitd.access")

FREE_TRIES = 5
FIRST_WAIT_SECONDS = 1.0
MAX_WAIT_SECONDS = 60.0
# After so long without a wrong token an address begins anew. A right one does not do that: its holder may be guessing.
FORGIVEN_SECONDS = 600.0
MINUTE = 60.0
# So many addresses are remembered for their wrong tokens, and so many tokens and addresses for their requests.
REMEMBERED = 4096


class Access:
    """Keeps the tokens, and what each of them and each address has taken."""

    def __init__(self, settings: Settings, task_table: TaskTable, metrics: Metrics, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._task_table = task_table
        self._metrics = metrics
        self._clock = clock
        self._book = TokenBook()
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """By address: how many in a row, and until when it has to wait, by the monotonic clock."""

        self._windows: OrderedDict[str, SlidingWindow] = OrderedDict()
        self._connections: Counter[str] = Counter()
        """How many connections each token has."""

    @property
    def token_count(self) -> int:
        """How many tokens there are."""
        return len(self._book)

    @property
    def has_key(self) -> bool:
        """True when HTTP asks every client for a key, on this machine too."""
        return bool(self._book.key)

    async def load(self, settings: Settings) -> None:
        """Take over what the configuration and the file of tokens say now.

        Raises ConfigError when the file cannot be read; the former tokens stay.
        """
        tokens = await asyncio.to_thread(load_tokens, tokens_file(settings))
        self._book = TokenBook(tokens, settings.http.api_key)
        self._settings = settings

    # Which grant a client has

    def grant_at(self, door: str, address: str) -> Grant:
        """Return what a client may do that has shown no token yet."""
        auth, is_here = self._settings.auth, bool(address) and is_this_machine(address)
        if door == "unix" or (is_here and auth.trust_loopback):
            return TRUSTED
        limits = UNLIMITED if is_here else self._settings.limits.address
        return Grant("", Role.ADMIN, limits) if door in auth.without_token else STRANGER

    def admit(self, text: str, address: str) -> Grant:
        """Return the grant of a token.

        Raises:
            NotAllowed: there is no such token, or its time is over.
            Unavailable: too many wrong ones came from this address, and this is none, or the configuration's key.
        """
        network, now = network_of(address), time.monotonic()
        count, until = self._failures.get(network, (0, 0.0))
        grant = self._book.find(text, self._clock())
        if now < until and (grant is None or grant.name == KEY_NAME):
            raise Unavailable(f"too many wrong tokens came from here; try again in {until - now:.0f} s")
        if grant is None:
            self._note_failure(network, count + 1 if now < until + FORGIVEN_SECONDS else 1, now)
            what = "key or token" if self.has_key else "token"
            raise NotAllowed(f"this {what} is not known, or its time is over")
        return grant

    def known(self, text: str) -> Grant | None:
        """Return the grant of a token from a client that needs none; None when it is not known."""
        return self._book.find(text, self._clock())

    def _note_failure(self, network: str, count: int, now: float) -> None:
        self._metrics.refused_tokens += 1
        wait = backoff_seconds(count - FREE_TRIES + 1, FIRST_WAIT_SECONDS, MAX_WAIT_SECONDS)
        self._failures[network] = (count, now + wait)
        self._failures.move_to_end(network)
        if len(self._failures) > REMEMBERED:
            self._failures.popitem(last=False)
        if is_doubling(count):
            log.warning("%d wrong tokens in a row from %s", count, network or "this machine")

    # How many connections there are

    def enter(self, grant: Grant) -> None:
        """Count one more connection of a token; raise Unavailable when the token has as many as it may have."""
        limit = grant.limits.connections
        if 0 < limit <= self._connections[grant.name]:
            raise Unavailable(f"{limit} connections of {grant.name!r} are open already")
        if grant.name:
            self._connections[grant.name] += 1

    def leave(self, grant: Grant) -> None:
        """Count one connection less."""
        if grant.name:
            self._connections[grant.name] -= 1

    def may_connect(self, address: str, open_now: int) -> bool:
        """Return True when an address with so many open connections may have one more."""
        limit = self._settings.limits.address.connections
        return is_this_machine(address) or not limit or open_now < limit

    # What a client may do

    def counts(self, grant: Grant) -> bool:
        """Return False for the grant of a stranger, and of a token that was revoked or is over."""
        return grant.role is not None and (not grant.name or self._book.holds(grant, self._clock()))

    def check(self, client: Client, request: Request) -> None:
        """Check a request before its handler.

        Raises:
            NotAllowed: the grant does not permit it, or not any more.
            Unavailable: there were too many requests.
            UnknownTask, NotAnInput: the task is that of another owner.
        """
        grant = client.grant
        if grant is TRUSTED:
            return
        check_request(grant, request)
        if request.action != AUTH and not self.counts(grant):
            raise NotAllowed(f"the token {grant.name!r} was revoked, or its time is over")
        self._take(grant.name and f"token {grant.name}", grant.limits.requests_per_minute)
        if not is_this_machine(client.address):
            self._take(network_of(client.address), self._settings.limits.address.requests_per_minute)
        task = self._task_table.get(request.work_id)
        if task is not None and not sees(grant, task.grant_name):
            raise missing_input(request.work_id) if request.action == "inference" else missing_task(request.work_id)

    def _take(self, who: str, limit: int) -> None:
        if not who or not limit:
            return
        window = self._windows.setdefault(who, SlidingWindow(limit, MINUTE))
        self._windows.move_to_end(who)
        if len(self._windows) > REMEMBERED:
            self._windows.popitem(last=False)
        window.limit, now = limit, time.monotonic()
        if not window.take(now):
            raise Unavailable(
                f"{limit} requests a minute are allowed; try again in {window.seconds_until_room(now):.1f} s"
            )

    def check_room(self, client: Client) -> None:
        """Raise TaskFull when the token or the address of a client has as many tasks as it may have."""
        grant, address = client.grant, client.address
        own = sum(task.grant_name == grant.name for task in self._task_table)
        if grant.name and 0 < grant.limits.tasks <= own:
            raise TaskFull(f"{grant.name!r} has {own} tasks; end one with exit")
        limit, network = self._settings.limits.address.tasks, network_of(address)
        if not limit or is_this_machine(address):
            return
        there = sum(network_of(task.owner.address) == network for task in self._task_table)
        if there >= limit:
            raise TaskFull(f"{there} tasks of {address} are set up; end one with exit")


class AccessActions:
    """The actions of `sys` by which a client shows a token, and learns what it may do."""

    def __init__(self, access: Access, forget: Callable[[Client], None]) -> None:
        """`forget` is told of a client that has become another one."""
        self._access = access
        self._forget = forget

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by action."""
        return {AUTH: self._auth, WHOAMI: self._whoami}

    def _auth(self, call: Call) -> Answer:
        """Make the connection the token's from here on."""
        data = call.request.data
        text = data.get("token") if isinstance(data, dict) else None
        if not isinstance(text, str):
            raise BadField('data must be {"token": "unitd_…"}')
        former, grant = call.client, self._access.admit(text, call.client.address)
        before = former.grant
        if is_other_owner(before, grant) and call.has_earlier:
            raise Unavailable(
                f"requests of {before.name or 'this machine'!r} are being worked on; wait for their answers"
            )
        if is_another := grant.name != before.name:
            self._access.enter(grant)
        client = former.admit(grant)
        if is_another:  # a message of a broker is over with its answer and stays what it was
            self._access.leave(before if client.grant is grant else grant)
        log.info("%s is %r, role %s", client.name, grant.name, grant.role and grant.role.value)
        reply = call.ok(object="sys.auth", data=_described(grant))
        if client is former:
            return reply
        self._forget(former)  # what the former client had belongs to another owner
        client.send(reply)
        return None

    def _whoami(self, call: Call) -> Answer:
        """Tell a client its name, role and expiry, so that it does not have to try what it may do."""
        return call.ok(object="sys.whoami", data=_described(call.client.grant))


def _described(grant: Grant) -> dict[str, Any]:
    return {"name": grant.name, "role": grant.role and grant.role.value, "expires": grant.expires}


def tokens_file(settings: Settings) -> Path:
    """Return where the tokens are."""
    return settings.auth.tokens_file or settings.state.dir / "tokens.json"


def load_tokens(path: Path) -> list[Token]:
    """Return the tokens of a file, none if it is not there; raise ConfigError when it cannot be read."""
    try:
        return read_tokens(path.read_bytes())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error
    except ConfigError as error:
        raise ConfigError(f"{path}: {error.reason}") from error
