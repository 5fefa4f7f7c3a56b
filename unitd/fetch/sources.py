"""The sources of files: the hub, through its own client, or a URL.

huggingface_hub looks a file up (`get_hf_file_metadata`), reads HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE, and provides
the session, which uses proxies. Its download is not used: after a process dies in `hf_hub_download` the next one begins
anew (2.x fetches into a file with a random name and deletes it), and a lost connection costs up to 10 MB. Here the body
is read with Range from the length of the partial file, with the same session, from the same URL, at the commit that was
looked up.

The hub's etag of a large file is its SHA-256, of a small one git's SHA-1; both are checked after the download.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2
from huggingface_hub import constants, get_hf_file_metadata, get_session, hf_hub_url
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled
from huggingface_hub.utils import build_hf_headers, hf_raise_for_status, parse_ratelimit_headers

from unitd.core.models.catalog import ModelFile
from unitd.fetch.failures import PullFailed, TemporaryFailure
from unitd.wire.errors import reason_of

SHA256_DIGITS = 64
# The body must come uncompressed: lengths and positions refer to the file's own bytes.
AS_IT_IS = {"Accept-Encoding": "identity"}
PASSING = (408, 429, 500, 502, 503, 504)
_FIRST_AND_ALL = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


@dataclass(frozen=True)
class Source:
    """A file that was looked up."""

    part: ModelFile
    url: str
    size: int
    etag: str = ""
    commit: str = ""

    @property
    def sha256(self) -> str:
        """The SHA-256 that the file must have; "" if it is not known."""
        return self.part.sha256 or (self.etag if len(self.etag) == SHA256_DIGITS and self.part.repository else "")


class Hub:
    """Looks files up and opens them."""

    def __init__(self, endpoint: str | None = None, token: str | None = None) -> None:
        """Take endpoint and token; without them the client uses HF_ENDPOINT and HF_TOKEN."""
        self._endpoint = endpoint
        self._token = token

    def locate(self, part: ModelFile) -> Source:
        """Look a part up and return its source.

        Raises:
            PullFailed: it is not available, or differs from the catalogue; TemporaryFailure if another try may succeed.
        """
        with client_errors_explained(part):
            try:
                source = self._of_repository(part) if part.repository else self._of_address(part)
            except httpx2.ConnectError as error:
                # Without a network the pull fails at once, not after several tries.
                host = urlsplit(str(error.request.url)).netloc
                raise PullFailed(f"{host} cannot be reached: {reason_of(error)}") from error
        _compare(part, source)
        return source

    def _of_repository(self, part: ModelFile) -> Source:
        found = get_hf_file_metadata(
            hf_hub_url(part.repository, part.path, revision=part.revision, endpoint=self._endpoint),
            token=self._token,
            endpoint=self._endpoint,
        )
        if not found.commit_hash or not found.etag or (found.size or 0) < 0 or found.size is None:
            raise PullFailed(
                f"what answers for {part.label} is no hub: it names no commit, etag or size (HF_ENDPOINT?)"
            )
        url = hf_hub_url(part.repository, part.path, revision=found.commit_hash, endpoint=self._endpoint)
        return Source(part, url, found.size, found.etag, found.commit_hash)

    def _of_address(self, part: ModelFile) -> Source:
        if part.size:
            return Source(part, part.url, part.size)
        response = get_session().head(part.url, headers=AS_IT_IS, timeout=constants.HF_HUB_ETAG_TIMEOUT)
        hf_raise_for_status(response)
        if not (size := int(response.headers.get("Content-Length", 0))):
            raise PullFailed(f"{part.url} does not say how long it is")
        return Source(part, part.url, size, response.headers.get("ETag", "").strip('"'))

    @contextmanager
    def opened(self, source: Source, start: int) -> Iterator[tuple[int, Iterator[bytes]]]:
        """Open a file and yield the position of the first byte and the bytes; the position is `start`, or 0 if the
        server cannot continue there.

        The token goes to the hub and, by the session's own rule, to no host of a redirect.

        Raises:
            PullFailed: it is not available; TemporaryFailure if another try may succeed, also while the body is read.
        """
        headers = build_hf_headers(token=self._token) if source.part.repository else {}
        headers |= AS_IT_IS | ({"Range": f"bytes={start}-"} if start else {})
        timeout = constants.HF_HUB_DOWNLOAD_TIMEOUT
        with (
            client_errors_explained(source.part),
            get_session().stream("GET", source.url, headers=headers, timeout=timeout) as response,
        ):
            hf_raise_for_status(response)
            yield _first_byte(response, source), response.iter_raw()


def _compare(part: ModelFile, source: Source) -> None:
    """Compare what the hub says with the catalogue, before a byte is fetched."""
    if part.size and source.size != part.size:
        raise PullFailed(f"{part.label} has {source.size} bytes, the catalogue says {part.size}: it is another file")
    has_hash = bool(part.repository) and len(source.etag) == SHA256_DIGITS
    if part.sha256 and has_hash and source.etag != part.sha256:
        raise PullFailed(f"{part.label} has the SHA-256 {source.etag}, the catalogue says {part.sha256}")


def _first_byte(response: httpx2.Response, source: Source) -> int:
    """Return the position at which the body begins: 0 for a server that ignores Range."""
    partial = _FIRST_AND_ALL.match(response.headers.get("Content-Range", "")) if response.status_code == 206 else None
    first, length = partial.groups() if partial else ("0", response.headers.get("Content-Length", "*"))
    if length.isdigit() and int(length) != source.size:
        raise PullFailed(f"{source.part.label} has {length} bytes at last, {source.size} were announced")
    return int(first)


@contextmanager
def client_errors_explained(part: ModelFile) -> Iterator[None]:
    """Turn errors of the client into a PullFailed with a sentence."""
    try:
        yield
    except OfflineModeIsEnabled as error:
        raise PullFailed(f"{part.label} cannot be fetched: offline mode is on (HF_HUB_OFFLINE)") from error
    except HfHubHTTPError as error:
        raise _refused(part, error.response) from error
    except httpx2.TransportError as error:
        raise TemporaryFailure(
            f"{part.label}: the connection failed ({reason_of(error) or type(error).__name__})"
        ) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, HFValidationError) as error:
        raise PullFailed(f"{part.label} cannot be fetched: {error}") from error


def _refused(part: ModelFile, response: httpx2.Response) -> PullFailed:
    """Return the error for a response's status."""
    what, host, status = part.label, response.request.url.host, response.status_code
    if status in PASSING:
        reason = "has had too many requests" if status == 429 else f"is not able to answer ({status})"
        return TemporaryFailure(f"{what}: {host} {reason}", _wait_wanted(response))
    if status == 401:
        return PullFailed(f"{host} does not show {what} to everybody, or has no such repository: HF_TOKEN may open it")
    if status == 403:
        return PullFailed(f"{host} refuses {what}: accept its terms on its page and set HF_TOKEN to your token")
    if status == 404:
        return PullFailed(f"{host} has no {what}{_at_revision(part)}")
    return PullFailed(f"{host} answers {status} for {what}")


def _wait_wanted(response: httpx2.Response) -> float | None:
    """Return the seconds to wait, from Retry-After or from the hub's own header; None if neither is there."""
    if (wait := response.headers.get("Retry-After", "")).isdigit():
        return float(wait)
    limit = parse_ratelimit_headers(response.headers)
    return float(limit.reset_in_seconds) if limit and not limit.remaining else None


def _at_revision(part: ModelFile) -> str:
    return f" at the revision {part.revision}" if part.repository else ""
