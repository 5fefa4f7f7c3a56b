"""What the client of a connection may do: found out once, before every dialect, and kept in the connection's scope."""

from starlette.requests import HTTPConnection

from unitd.core.access.grants import STRANGER, Grant
from unitd.runtime.sys.access import Access

GRANT = "unitd.grant"
"""Where it is in the scope."""

REFUSAL = "unitd.refusal"
"""Where in the scope the reason is why the key that a client gave did not let it in; absent if it gave none."""


def admit(access: Access, connection: HTTPConnection) -> Grant:
    """What a client may do, by the key that it gives, in the query or in a header, or by where it comes from.

    Where no key is asked for, one that nobody knows does no harm: libraries of the OpenAI API always send one.

    Raises:
        NotAllowed: a wrong key.
        Unavailable: too many wrong keys came from there.
    """
    address, key = address_of(connection), _key_in(connection)
    anybody = STRANGER if access.has_key else access.grant_at("http", address)
    if anybody.role is None:
        return access.admit(key, address) if key else STRANGER
    return access.known(key) or anybody


def grant_of(connection: HTTPConnection) -> Grant:
    """What the guard has found out, or what `sys.auth` gave since."""
    grant: Grant = connection.scope[GRANT]
    return grant


def address_of(connection: HTTPConnection) -> str:
    """Where a client comes from."""
    return connection.client.host if connection.client else ""


def _key_in(connection: HTTPConnection) -> str:
    """What a client gives as its key, "" without one. Bytes of headers, which starlette reads as Latin-1, are UTF-8."""
    headers = connection.headers
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    given = headers.get("x-api-key") or (credentials.strip() if scheme.lower() == "bearer" else "")
    return connection.query_params.get("api_key") or given.encode("latin-1").decode(errors="replace")
