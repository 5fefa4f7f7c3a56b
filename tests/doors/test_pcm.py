"""Covers unitd.doors.pcm."""

import io
import wave

import numpy as np
import pytest

from unitd.doors.pcm import floats_of_s16, s16_of_floats, wav_of


def test_floats_become_integers_and_back() -> None:
    """From full scale to full scale, with nothing lost but the rounding."""
    floats = np.linspace(-1, 1, 1001, dtype="<f4")

    pcm = s16_of_floats(floats.tobytes())
    back = np.frombuffer(floats_of_s16(pcm), "<f4")

    assert (np.frombuffer(pcm, "<i2")[[0, 500, -1]] == [-32767, 0, 32767]).all()
    assert np.abs(back - floats).max() < 1e-4


def test_what_is_too_loud_is_held_at_full_scale() -> None:
    """A sample of 3.5 is no click."""
    loud = np.array([3.5, -2, 0.5], "<f4")

    pcm = s16_of_floats(loud.tobytes())

    assert np.frombuffer(pcm, "<i2").tolist() == [32767, -32767, 16383]


def test_a_wav_is_one_that_others_read() -> None:
    """With the rate that was declared."""
    wav = wav_of(b"\x01\x00\x02\x00", 44100)

    with wave.open(io.BytesIO(wav)) as file:
        found = (file.getframerate(), file.getnchannels(), file.getsampwidth(), file.readframes(9))

    assert found == (44100, 1, 2, b"\x01\x00\x02\x00")


@pytest.mark.parametrize(
    "damaged", [b"\x00" * 5, np.array([np.nan], "<f4").tobytes(), np.array([1, np.inf], "<f4").tobytes()]
)
def test_what_is_no_float_pcm_is_refused(damaged: bytes) -> None:
    """Half a sample, and what is no number."""
    with pytest.raises(ValueError, match="samples"):
        s16_of_floats(damaged)
