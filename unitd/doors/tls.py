"""TLS for doors that other machines reach: one certificate for all, read again at a reload."""

import ssl
from asyncio.sslproto import SSLProtocol
from contextlib import suppress
from pathlib import Path
from typing import Any

from unitd.wire.errors import ConfigError

HANDSHAKE_SECONDS = 10.0
READ_BYTES = 32 * 1024
DAY_SECONDS = 86_400
WARNING_DAYS = 30
_NO_CHECK_TIME = 0x200000
"""X509_V_FLAG_NO_CHECK_TIME of OpenSSL, for which the ssl module has no name."""


class Tls:
    """The certificate and its key. The constructor and `load` read files: call them in a thread."""

    def __init__(self, cert: Path, key: Path) -> None:
        """Raise ConfigError when the files cannot be used."""
        _bound_buffers()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.expires = 0.0
        """Unix time at which the certificate ends."""

        self.load(cert, key)

    def load(self, cert: Path, key: Path) -> None:
        """Use this certificate for new connections.

        Raises:
            ConfigError: the files cannot be used; what was loaded before stays.
        """
        trial = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)  # a pair that does not match would damage the context in use
        try:
            trial.load_cert_chain(cert, key)
            self.expires = _expiry(trial, cert)
            self.context.load_cert_chain(cert, key)
        except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
            raise ConfigError(f"auth.tls_cert {cert} with {key}: {_reason(error)}") from error

    def warning(self, now: float) -> str:
        """Return a warning that the certificate ends soon or has ended; "" when it is not yet time."""
        days = (self.expires - now) / DAY_SECONDS
        if days <= 0:
            return f"the TLS certificate expired {-days:.0f} days ago; clients refuse it"
        return f"the TLS certificate expires in {days:.0f} days" if days <= WARNING_DAYS else ""


def _bound_buffers() -> None:
    """Make asyncio's read buffer of a TLS connection smaller.

    asyncio allocates 256 KiB for each connection before the handshake and has no option for that, only this attribute.
    A TLS record is never longer than 16 KiB and some bytes.
    """
    SSLProtocol.max_size = READ_BYTES


def _expiry(serving: ssl.SSLContext, cert: Path) -> float:
    """Return the unix time at which the certificate of a context ends.

    The standard library shows only a certificate that it has verified. So this function makes both ends of a connection
    in memory; the client end trusts this certificate alone and ignores the time.
    """
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname = False
    trusting.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VerifyFlags(_NO_CHECK_TIME)
    trusting.load_verify_locations(cert)
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(to_client, to_server)
    server = serving.wrap_bio(to_server, to_client, server_side=True)
    for side in (client, server, client, server):
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
    shown: Any = client.getpeercert()
    return float(ssl.cert_time_to_seconds(shown["notAfter"]))


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return f"{(error.reason or str(error)).replace('_', ' ').lower()}; do the two belong together?"
    return getattr(error, "strerror", None) or str(error)
