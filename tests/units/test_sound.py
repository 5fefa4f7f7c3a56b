"""Covers units.sound.upload, wav and decoding: uploads in any slicing, what is refused, what we write ourselves."""

import io
import struct
import wave

import numpy as np
import pytest
import soundfile

from tests.support.units.spoken import Samples, cut_up, joined
from units.base import RUN_FAILED, UnitFault
from units.sound.upload import Upload
from units.sound.wav import wav_header

TONE: Samples = (8000 * np.sin(np.arange(16000) * 2 * np.pi * 440 / 16000)).astype(np.int16)
SLICES = (1, 7, 160, 1000, 10**6)


def wav_of(samples: Samples, rate: int = 16000, channels: int = 1, extra: bytes = b"") -> bytes:
    """A file with the chunk `extra` behind its data."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(samples.astype("<i2").tobytes())
    return file.getvalue() + extra


def fed(data: bytes, form: str, slice_: int) -> Samples:
    """What an upload in slices becomes."""
    upload = Upload()
    pieces = [upload.feed(data[at : at + slice_], form) for at in range(0, len(data), slice_)]
    return joined(*pieces, upload.finish())


@pytest.mark.parametrize("slice_", SLICES)
def test_raw_samples_come_through_as_they_are(slice_: int) -> None:
    """Odd byte counts wait for their other half."""
    assert np.array_equal(fed(TONE.tobytes(), "pcm", slice_), TONE)


@pytest.mark.parametrize("slice_", SLICES)
def test_a_wav_gives_its_samples_alone(slice_: int) -> None:
    """Its header and the chunks around the data are no sound."""
    data = wav_of(TONE, extra=struct.pack("<4sI", b"LIST", 5) + b"noise\0")

    assert np.array_equal(fed(data, "wav", slice_), TONE)


@pytest.mark.parametrize(
    ("name", "format_", "subtype", "rate"),
    [
        ("24-bit", "WAV", "PCM_24", 16000),
        ("8-bit", "WAV", "PCM_U8", 16000),
        ("float", "WAV", "FLOAT", 48000),
        ("A-law", "WAV", "ALAW", 8000),
        ("FLAC", "FLAC", "PCM_16", 16000),
        ("FLAC of 24 bits", "FLAC", "PCM_24", 44100),
        ("Ogg Vorbis", "OGG", "VORBIS", 44100),
        ("MP3", "MP3", "MPEG_LAYER_III", 44100),
        ("AIFF", "AIFF", "PCM_16", 22050),
    ],
)
@pytest.mark.parametrize("slice_", [7, 10**6])
def test_files_of_other_kinds_are_decoded(slice_: int, name: str, format_: str, subtype: str, rate: int) -> None:
    """A second stays a second and a tone stays a tone; the next upload is taken as ever."""
    file = io.BytesIO()
    tone = np.sin(np.arange(rate) * 2 * np.pi * 440 / rate) / 4
    soundfile.write(file, np.stack([tone, tone], axis=1), rate, format=format_, subtype=subtype)

    heard = fed(file.getvalue(), "wav", slice_)

    assert len(heard) == pytest.approx(16000, abs=1200), name  # MP3 pads
    assert np.argmax(np.abs(np.fft.rfft(heard, 16000))) == pytest.approx(440, abs=1)
    assert np.abs(heard[4000:12000]).max() == pytest.approx(8192, rel=0.1)


def test_half_an_hour_is_the_most_that_a_file_may_hold() -> None:
    """Silence in FLAC is so small that a few kilobytes could fill the memory."""
    file = io.BytesIO()
    soundfile.write(file, np.zeros(8000 * 1801, np.int16), 8000, format="FLAC", subtype="PCM_16")
    assert len(file.getvalue()) < 10**6

    with pytest.raises(UnitFault, match="FLAC of more than 30 minutes"):
        fed(file.getvalue(), "wav", 10**6)


@pytest.mark.parametrize("slice_", SLICES)
def test_two_files_in_a_row_are_both_taken(slice_: int) -> None:
    """The second may have another rate."""
    heard = fed(wav_of(TONE) + wav_of(np.repeat(TONE, 2), rate=32000), "wav", slice_)

    assert np.array_equal(heard[:16000], TONE)
    assert len(heard) == pytest.approx(32000, abs=16)


def test_a_wav_that_is_sent_as_pcm_is_known_by_its_first_letters() -> None:
    """No header is heard as a click."""
    assert np.array_equal(fed(wav_of(TONE), "pcm", 10**6), TONE)


def test_raw_samples_may_follow_a_file() -> None:
    """A client that sends a test file and then its microphone."""
    upload = Upload()
    upload.feed(wav_of(TONE, rate=32000), "wav")

    assert np.array_equal(upload.feed(TONE.tobytes(), "pcm")[-len(TONE) :], TONE)


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 48000, 96000, 192000])
@pytest.mark.parametrize("slice_", [7, 4096])
def test_other_rates_are_resampled(rate: int, slice_: int) -> None:
    """A second stays a second and a tone stays a tone, in any slicing."""
    tone = (8000 * np.sin(np.arange(rate) * 2 * np.pi * 440 / rate)).astype(np.int16)

    heard = fed(wav_of(tone, rate=rate), "wav", slice_)

    assert len(heard) == pytest.approx(16000, abs=16)
    assert np.argmax(np.abs(np.fft.rfft(heard, 16000))) == 440


def test_stereo_becomes_the_mean_of_both_sides() -> None:
    """Also where both are at full scale."""
    sides = np.array([[32767, 32767], [1000, 3000], [-32768, -32768]], np.int16)

    assert fed(wav_of(sides, channels=2), "wav", 3).tolist() == [32767, 2000, -32768]


@pytest.mark.parametrize("length", [0, 0xFFFFFFFF, 10**6])
def test_a_wav_that_promises_too_much_is_taken_as_far_as_it_goes(length: int) -> None:
    """Programs that write into a pipe cannot know their length."""
    data = bytearray(wav_of(TONE))
    data[40:44] = struct.pack("<I", length)

    assert np.array_equal(fed(bytes(data), "wav", 999), TONE)


def test_an_extensible_header_is_read() -> None:
    """Windows writes 40 bytes where 16 would do."""
    body = struct.pack("<HHIIHHHHIH", 0xFFFE, 1, 16000, 32000, 2, 16, 22, 16, 4, 1) + bytes(14)
    head = b"RIFF" + struct.pack("<I", 0) + b"WAVE" + struct.pack("<4sI", b"fmt ", len(body)) + body

    assert np.array_equal(fed(head + b"data" + bytes(4) + TONE.tobytes(), "wav", 11), TONE)


FORMAT = struct.Struct("<HHIIHH")


def header_of(coding: int, channels: int, rate: int, bits: int) -> bytes:
    """A WAV's beginning."""
    body = FORMAT.pack(coding, channels, rate, 0, 0, bits)
    return b"RIFF" + bytes(4) + b"WAVEfmt " + struct.pack("<I", 16) + body + b"data" + bytes(4)


@pytest.mark.parametrize("slice_", [1, 10**6])
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"ID3\x04" + bytes(100), "MP3"),
        (b"\xff\xfb\x90\x64" + bytes(100), "MP3"),
        (b"OggS" + bytes(100), "Ogg"),
        (b"fLaC" + bytes(100), "FLAC"),
        (b"\x1aE\xdf\xa3" + bytes(100), "WebM"),
        (b"hello, world", "begins with h"),
        (b"RIFF" + bytes(4) + b"AVI " + bytes(50), "AVI"),
        (header_of(1, 1, 16000, 8), "8-bit"),
        (header_of(1, 1, 16000, 24), "24-bit"),
        (header_of(3, 1, 16000, 32), "32-bit float"),
        (header_of(6, 1, 8000, 8), "A-law"),
        (header_of(1, 6, 48000, 16), "6 channels"),
        (header_of(1, 1, 4000, 16), "4000 samples a second"),
        (header_of(1, 1, 384000, 16), "384000 samples a second"),
        (b"RIFF" + bytes(4) + b"WAVEdata" + bytes(50), "before its format"),
        (b"RIFF" + bytes(4) + b"WAVEfmt " + bytes(50), "format chunk of 0 bytes"),
        (wav_of(TONE)[:30], "ends in its header"),
    ],
)
def test_what_cannot_be_used_is_named(data: bytes, words: str, slice_: int) -> None:
    """And the next upload begins anew."""
    with pytest.raises(UnitFault, match=words) as fault:
        fed(data, "wav", slice_)

    assert fault.value.code == RUN_FAILED


@pytest.mark.parametrize("beginning", [b"ID3\x04", b"OggS", b"fLaC"])
def test_compressed_audio_is_not_heard_as_raw_noise(beginning: bytes) -> None:
    """Its first four bytes tell: raw samples have no end at which a file could be decoded."""
    with pytest.raises(UnitFault, match="16-bit PCM"):
        Upload().feed(beginning + bytes(100), "pcm")


def test_after_a_fault_the_next_upload_is_taken() -> None:
    """Nothing of the bad one is left."""
    upload = Upload()
    with pytest.raises(UnitFault):
        joined(upload.feed(b"OggS and so on.", "wav"), upload.finish())

    assert np.array_equal(upload.feed(wav_of(TONE), "wav"), TONE)


def test_half_a_sample_is_forgotten_at_the_end() -> None:
    """The next utterance is not shifted by a byte."""
    upload = Upload()
    upload.feed(b"\x01", "pcm")
    upload.finish()

    assert np.array_equal(upload.feed(TONE.tobytes(), "pcm"), TONE)


def test_random_bytes_are_samples_or_a_fault() -> None:
    """A thousand beginnings of files, in random slices."""
    random = np.random.default_rng(7)
    for _ in range(1000):
        data = bytearray(wav_of(TONE[:50]))
        data[random.integers(len(data))] = random.integers(256)
        try:
            fed(bytes(data), "wav", int(random.integers(1, 40)))
        except UnitFault as fault:
            assert fault.code == RUN_FAILED


@pytest.mark.parametrize("rate", [16000, 22050])
def test_what_we_write_others_can_read(rate: int) -> None:
    """Python's own reader."""
    file = io.BytesIO(wav_header(len(TONE), rate) + TONE.tobytes())

    with wave.open(file) as reader:
        assert reader.getparams()[:4] == (1, 2, rate, len(TONE))


def test_pieces_are_what_they_were_cut_from() -> None:
    """The helper of other tests."""
    assert np.array_equal(joined(*cut_up(TONE, 999)), TONE)
