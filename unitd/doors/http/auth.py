"""The grant of a connection: determined once, before all dialects, and kept in the connection's scope."""

from starlette.requests import HTTPConnection

from unitd.core.access.grants import STRANGER, Grant
from unitd.runtime.sys.access import Access

GRANT = "unitd.grant"
"""Key of the grant in the scope."""

REFUSAL = "unitd.refusal"
"""Key in the scope of the reason why a client's key was refused; absent when the client gave none."""


def admit(access: Access, connection: HTTPConnection) -> Grant:
    """Return the grant of a client, by its key in the query or in a header, or by its address.

    Where no key is required, an unknown key is ignored: libraries of the OpenAI API always send one.

    Raises:
        NotAllowed: the key is wrong.
        Unavailable: too many wrong keys came from this address.
    """
    address, key = address_of(connection), _key_in(connection)
    anybody = STRANGER if access.has_key else access.grant_at("http", address)
    if anybody.role is None:
        return access.admit(key, address) if key else STRANGER
    return access.known(key) or anybody


def grant_of(connection: HTTPConnection) -> Grant:
    """Return the grant that the guard has determined, or that `sys.auth` has given since."""
    grant: Grant = connection.scope[GRANT]
    return grant


def address_of(connection: HTTPConnection) -> str:
    """Return the address of a client; "" when it is unknown."""
    return connection.client.host if connection.client else ""


def _key_in(connection: HTTPConnection) -> str:
    """Return the key of a client, "" without one. Headers are UTF-8 here, though starlette reads them as Latin-1."""
    headers = connection.headers
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    given = headers.get("x-api-key") or (credentials.strip() if scheme.lower() == "bearer" else "")
    return connection.query_params.get("api_key") or given.encode("latin-1").decode(errors="replace")
