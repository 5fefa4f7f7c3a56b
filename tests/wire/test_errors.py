"""Covers errors: what failed, in words."""

import socket
from pathlib import Path

import pytest

from unitd.wire.errors import LoadFailed, reason_of


def test_a_failed_system_call_is_told_without_its_number(tmp_path: Path) -> None:
    """Also without the path, which the sentence around it names."""
    with pytest.raises(FileNotFoundError) as failed:
        (tmp_path / "missing").read_bytes()

    assert reason_of(failed.value) == "No such file or directory"


def test_the_root_of_what_a_library_raises_is_told() -> None:
    """Libraries raise errors of their own, with the number in their text."""
    with pytest.raises(RuntimeError) as failed:
        try:
            socket.create_connection(("127.0.0.1", 9))
        except OSError as error:
            raise RuntimeError(f"cannot connect: {error}") from None

    assert "[Errno" in str(failed.value)
    assert reason_of(failed.value) == "Connection refused"


def test_a_sentence_stays_a_sentence() -> None:
    """Whatever caused it."""
    with pytest.raises(LoadFailed) as failed:
        try:
            socket.create_connection(("127.0.0.1", 9))
        except OSError as error:
            raise LoadFailed("the model is far away") from error

    assert reason_of(failed.value) == str(failed.value) == "Model loading failed. the model is far away"
