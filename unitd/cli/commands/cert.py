"""`unitd cert`: makes a self-signed certificate for doors that other machines reach."""

import argparse
import datetime
import ipaddress
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from unitd.cli.connection import fail
from unitd.runtime.atomic_write import replace_shared_file

if TYPE_CHECKING:
    from cryptography import x509

CERT, KEY = "cert.pem", "key.pem"


def run(arguments: argparse.Namespace) -> int:
    """Write certificate and key, print how to use them, and return 0."""
    folder: Path = arguments.dir.expanduser().absolute()
    cert, key = folder / CERT, folder / KEY
    if (there := next((each for each in (cert, key) if each.exists()), None)) and not arguments.force:
        fail(f"{there} is there already; --force replaces it")
    names = arguments.name or [socket.gethostname(), f"{socket.gethostname()}.local", "localhost", *_addresses()]
    try:
        made = _make(names, arguments.days)
    except ModuleNotFoundError as error:
        fail(f"this needs {error.name}: pip install 'unitd[tls]'")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content, mode in ((key, made[1], 0o600), (cert, made[0], 0o644)):
            replace_shared_file(file, content, mode, is_given_away=True)
    except OSError as error:
        fail(f"{folder}: {error.strerror}")
    sys.stdout.write(_advice(cert, key, names, arguments.days))
    return 0


def _make(names: list[str], days: int) -> tuple[bytes, bytes]:
    """Return a self-signed certificate and its key, both PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, names[0][:64])])
    now = datetime.datetime.now(datetime.UTC)
    alternatives = x509.SubjectAlternativeName([_alternative(each) for each in names])
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    cert = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))  # boards without a battery for their clock are late
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(alternatives, critical=False)
        .add_extension(usage, critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return cert.public_bytes(serialization.Encoding.PEM), private


def _alternative(name: str) -> "x509.GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _addresses() -> list[str]:
    """Return all addresses of this board."""
    import psutil

    families = (socket.AF_INET, socket.AF_INET6)
    found = [each for addresses in psutil.net_if_addrs().values() for each in addresses if each.family in families]
    return list(dict.fromkeys(each.address.partition("%")[0] for each in found))


def _advice(cert: Path, key: Path, names: list[str], days: int) -> str:
    return f"""wrote {cert} and {key}
for: {", ".join(names)}; it ends in {days} days

In the configuration:
    [auth]
    tls_cert = "{cert}"
    tls_key = "{key}"

Clients trust it by the file {cert.name}, for example:
    curl --cacert {cert.name} https://{names[0]}:8000/health
"""
