"""Tokens, and the file that keeps them.

A token is `unitd_ID_SECRET`. Its secret has 256 random bits, so one round of SHA-256 is enough as a hash. The file
holds names, roles and hashes, never a secret.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from unitd.core.access.grants import UNLIMITED, Grant, Limits, Role
from unitd.wire.errors import ConfigError

PREFIX = "unitd"
FILE_VERSION = 1
KEY_NAME = "http.api_key"
"""The owner's name of clients that show the key of the configuration."""

_NO_DIGEST = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True)
class Token:
    """One token as the file keeps it."""

    name: str
    id: str
    digest: str
    """The hash of the secret, in hexadecimal."""

    role: Role
    created: int
    expires: int | None = None
    """Both in unix seconds."""

    limits: Limits = UNLIMITED

    @property
    def grant(self) -> Grant:
        """The grant of a client that shows it."""
        return Grant(self.name, self.role, self.limits, self.expires, self.id)


def issue(name: str, role: Role, created: int, expires: int | None, limits: Limits) -> tuple[Token, str]:
    """Return a new token, and its text, which is shown once."""
    token_id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
    token = Token(name, token_id, _digest(secret), role, created, expires, limits)
    return token, f"{PREFIX}_{token_id}_{secret}"


class TokenBook:
    """All valid tokens, and the one key that a configuration may hold in plain text."""

    def __init__(self, tokens: Iterable[Token] = (), key: str = "") -> None:
        self._by_id = {token.id: token for token in tokens}
        self.key = key
        self._key_grant = Grant(KEY_NAME, Role.ADMIN, id=_digest(key))

    def __len__(self) -> int:
        return len(self._by_id)

    def find(self, text: str, now: float) -> Grant | None:
        """Return the grant of a token's text; None if it is unknown or has expired.

        A wrong secret takes as long as an unknown id.
        """
        prefix, _, rest = text.partition("_")
        token_id, _, secret = rest.partition("_")
        token = self._by_id.get(token_id) if prefix == PREFIX else None
        is_right = hmac.compare_digest(_digest(secret), token.digest if token else _NO_DIGEST)
        is_key = hmac.compare_digest(_digest(text), _digest(self.key)) and bool(self.key)
        if token and is_right and not _is_over(token.expires, now):
            return token.grant
        return self._key_grant if is_key else None

    def holds(self, grant: Grant, now: float) -> bool:
        """Return whether a grant is still valid."""
        if grant == self._key_grant:
            return bool(self.key)
        token = self._by_id.get(grant.id)
        return token is not None and token.grant == grant and not _is_over(grant.expires, now)


def _is_over(expires: int | None, now: float) -> bool:
    return expires is not None and now >= expires


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def dump_tokens(tokens: Iterable[Token]) -> bytes:
    """Return the content of the file."""
    rows = [asdict(token) | {"role": token.role.value} for token in tokens]
    return orjson.dumps({"version": FILE_VERSION, "tokens": rows}, option=orjson.OPT_INDENT_2) + b"\n"


def read_tokens(content: bytes) -> list[Token]:
    """Return the tokens of a file's content.

    Raises:
        ConfigError: the content is no file of tokens, or one of a newer unitd.
    """
    try:
        document = orjson.loads(content)
        if document["version"] != FILE_VERSION:
            raise ConfigError(f"its version is {document['version']}, this unitd knows {FILE_VERSION}")
        return [_token(row) for row in document["tokens"]]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"this is no file of tokens: {error!r}") from error


def _token(row: dict[str, Any]) -> Token:
    return Token(**row | {"role": Role(row["role"]), "limits": Limits(**row["limits"])})
