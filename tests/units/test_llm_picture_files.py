"""Covers units.llm.vision.picture_reader: good files, and hostile ones, which cost their own process only."""

import base64
import os
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from PIL import Image

from tests.support.pictures import COLORS, file_of, huge_png, noise, square
from units.llm.vision import picture_reader
from units.llm.vision.picture_reader import PATIENCE_SECONDS, BadPicture, PictureReader, Size, answer_of, fitting

GIF = file_of(square(), "GIF")
Measure = Callable[[bytes], Size | str]


@pytest.fixture
def reader() -> Iterator[PictureReader]:
    """A fork server."""
    reader = PictureReader()
    yield reader
    reader.close()


@pytest.fixture
def measure(reader: PictureReader) -> Measure:
    """Returns the size of a file, or the words of its refusal."""

    def measured(data: bytes) -> Size | str:
        process = reader.measure([data])
        try:
            size: Size | str = answer_of(process)[0]
        finally:
            process.close()
        return size

    return measured


def pixels(reader: PictureReader, data: bytes, size: Size) -> Any:
    """Return a picture as rows of pixels."""
    process = reader.pixels(data, size)
    try:
        found = answer_of(process)
    finally:
        process.close()
    return np.frombuffer(found, np.uint8).reshape(size.height, size.width, 3).astype(int)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP", "GIF"])
def test_every_format_is_read(reader: PictureReader, measure: Measure, kind: str) -> None:
    """The size, and the colours where they are."""
    data = file_of(square("red", size=(96, 64)), kind)

    assert measure(data) == Size(96, 64)
    shown = pixels(reader, data, Size(96, 64))
    assert abs(shown[30, 40] - COLORS["red"]).max() < 30
    assert abs(shown[5, 90] - COLORS["white"]).max() < 30


def test_a_turned_photograph_stands_upright(reader: PictureReader, measure: Measure) -> None:
    """Cameras write the orientation beside the picture (EXIF): here the top of the scene is at the right."""
    image = Image.new("RGB", (80, 40), "white")
    image.paste(COLORS["blue"], (60, 0, 80, 40))
    exif = Image.Exif()
    exif[0x0112] = 8
    data = file_of(image, "JPEG", exif=exif)

    assert measure(data) == Size(40, 80)
    shown = pixels(reader, data, Size(40, 80))
    assert abs(shown[5, 20] - COLORS["blue"]).max() < 30
    assert abs(shown[70, 20] - COLORS["white"]).max() < 30


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_what_is_transparent_is_white(reader: PictureReader, mode: str) -> None:
    """Whatever colour the file has there."""
    data = file_of(Image.new("RGBA", (32, 32), (0, 0, 0, 0)).convert(mode))

    assert pixels(reader, data, Size(32, 32)).min() == 255


def test_other_kinds_of_pixels_are_read(reader: PictureReader) -> None:
    """A palette, grey of 16 bits, black and white, the inks of a printer."""
    grey = Image.fromarray(np.full((32, 32), 65535, np.uint16))
    files = [file_of(grey), *(file_of(square().convert(mode)) for mode in ("P", "1", "L"))]
    files.append(file_of(square().convert("CMYK"), "JPEG"))

    assert [pixels(reader, data, Size(32, 32))[0, 31].min() > 220 for data in files] == [True] * 5


def test_the_first_frame_of_an_animation_counts(reader: PictureReader) -> None:
    """The others are not looked at."""
    data = file_of(square("red"), "GIF", save_all=True, append_images=[square("blue")])

    assert abs(pixels(reader, data, Size(96, 64))[30, 40] - COLORS["red"]).max() < 30


def test_a_large_photograph_is_scaled_down(reader: PictureReader, measure: Measure) -> None:
    """Before it costs memory; the shape stays."""
    size = measure(file_of(noise(0, (3000, 2000)), "JPEG"))
    assert isinstance(size, Size)
    fitted = fitting(size)

    assert size == Size(3000, 2000)
    assert fitted.width * fitted.height <= 2_105_000
    assert abs(fitted.width / fitted.height - 1.5) < 0.01
    assert pixels(reader, file_of(square(size=(3000, 2000)), "JPEG"), fitted)[-1, -1].min() > 250


def lying_png(side: int) -> bytes:
    """Return a PNG whose header is for more pixels than its data holds."""
    whole = file_of(noise(0, (64, 64)))
    header = whole[:16] + struct.pack(">II", side, side) + whole[24:29]
    return header + struct.pack(">I", zlib.crc32(header[12:29])) + whole[33:]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it is no PNG, JPEG, WebP, BMP or GIF"),
        (b"PK\x03\x04" + bytes(1000), "it is no PNG"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n" + bytes(100), "it is no PNG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>", "it is no PNG"),
        (huge_png(10_000, 10_000), "it has 100.0 megapixels, 50 are the most"),
        (lying_png(60_000), "it has 3600.0 megapixels"),
        (huge_png(3000, 2), "one side may be 100 times the other"),
        (b"BM" + bytes(60), "it is"),
        (GIF[:6] + struct.pack("<HH", 65535, 65535) + GIF[10:], "it has 4294.8 megapixels"),
    ],
    ids=["empty", "zip", "eps", "svg", "100 MP", "3600 MP", "thread", "bmp", "gif"],
)
def test_a_header_is_refused_at_once(measure: Measure, data: bytes, words: str) -> None:
    """With a reason, before any pixel is decoded."""
    began = time.monotonic()
    said = measure(data)

    assert isinstance(said, str)
    assert words in said
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP", "GIF"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_truncated_file_is_refused(reader: PictureReader, kind: str, share: float) -> None:
    """By its header or by its pixels."""
    whole = file_of(noise(0, (200, 200)), kind)

    with pytest.raises(BadPicture, match=r"truncated|damaged|no PNG"):
        pixels(reader, whole[: int(len(whole) * share)], Size(200, 200))


def test_a_picture_that_is_also_an_archive_is_a_picture(reader: PictureReader, measure: Measure) -> None:
    """What follows its end is never looked at."""
    data = file_of(square()) + b"PK\x03\x04" + os.urandom(1000)

    assert measure(data) == Size(96, 64)
    assert pixels(reader, data, Size(96, 64)).shape == (64, 96, 3)


def test_a_bomb_ends_in_its_own_process(reader: PictureReader) -> None:
    """49 megapixels of a few kilobytes are decoded within the limits, or refused; the next picture is read."""
    began = time.monotonic()
    try:
        shown = pixels(reader, huge_png(7000, 7000), Size(700, 700))
        assert shown.max() == 0
    except BadPicture as error:
        assert "it takes more than" in str(error)

    assert time.monotonic() - began < picture_reader.PATIENCE_SECONDS
    assert pixels(reader, file_of(square()), Size(96, 64)).shape == (64, 96, 3)


def test_a_header_that_lies_is_found_out(reader: PictureReader) -> None:
    """The data ends before the pixels do."""
    with pytest.raises(BadPicture, match=r"truncated|damaged|takes more than"):
        pixels(reader, lying_png(7000), Size(100, 100))


WITHOUT_MEMORY = """
from tests.support.pictures import huge_png
from tests.units.test_llm_picture_files import pixels
from units import confined
from units.fork_server import ForkServer
from units.llm.vision import picture_reader

picture_reader.BYTES = 4 * 1024 * 1024
reader = picture_reader.PictureReader()
reader._fork_server = ForkServer(lambda: confined.start(picture_reader.fork_on_demand))  # which knows the new limit
try:
    pixels(reader, huge_png(7000, 7000, is_colored=True), picture_reader.Size(700, 700))
except picture_reader.BadPicture as error:
    print(error)
finally:
    reader.close()
"""


def test_a_process_without_memory_says_so() -> None:
    """In a process that has just begun: one that has run for long has so much free in what it holds already."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_MEMORY], capture_output=True, text=True, timeout=15, check=True
    )

    assert "it takes more than" in done.stdout


def test_a_killed_fork_server_is_replaced(reader: PictureReader) -> None:
    """The next picture starts another one."""
    reader._fork_server.close()

    assert pixels(reader, file_of(square()), Size(96, 64)).shape == (64, 96, 3)


def readers_of(reader: PictureReader) -> list[psutil.Process]:
    """Return the processes that read pictures now."""
    server = reader._fork_server._server
    assert server is not None
    return psutil.Process(server.pid).children()


def test_a_measured_picture_is_read_by_the_process_that_measured_it(reader: PictureReader, measure: Measure) -> None:
    """It has the picture already; what is asked of another file comes from another process."""
    first, second = (file_of(noise(seed, (40, 30))) for seed in (1, 2))
    size = measure(first)
    (process,) = readers_of(reader)
    assert isinstance(size, Size)

    assert (pixels(reader, second, size) == np.asarray(noise(2, (40, 30)))).all()
    assert process in readers_of(reader)
    assert (pixels(reader, first, size) == np.asarray(noise(1, (40, 30)))).all()

    process.wait(PATIENCE_SECONDS)
    assert (pixels(reader, first, size) == np.asarray(noise(1, (40, 30)))).all()


def test_a_measured_picture_that_nobody_wants_is_forgotten(reader: PictureReader, measure: Measure) -> None:
    """After a moment, or when another one is measured."""
    for seed in (1, 2):
        measure(file_of(noise(seed, (40, 30))))
    processes = readers_of(reader)

    psutil.wait_procs(processes, PATIENCE_SECONDS)

    assert not readers_of(reader)
    assert (pixels(reader, file_of(noise(2, (40, 30))), Size(40, 30)) == np.asarray(noise(2, (40, 30)))).all()


def test_the_fork_server_has_nothing_of_the_program(reader: PictureReader, tmp_path: Path) -> None:
    """Neither its files and sockets, nor its memory; it starts with the first picture."""
    assert reader._fork_server._server is None

    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        assert pixels(reader, file_of(square()), Size(96, 64)).shape == (64, 96, 3)
    server = reader._fork_server._server
    assert server is not None
    place = Path(f"/proc/{server.pid}")

    opened = {os.readlink(each) for each in (place / "fd").iterdir() if int(each.name) > 2}
    assert [name.partition(":")[0] for name in opened] == ["socket"]  # the connection
    assert not {"llama", "numpy"} & set((place / "maps").read_text().replace("/", " ").replace("_", " ").split())


def test_random_damage_is_always_an_answer(reader: PictureReader) -> None:
    """A picture or words, never silence."""
    rng = np.random.default_rng(7)
    for kind in ("PNG", "JPEG", "WEBP", "BMP", "GIF"):
        whole = bytearray(file_of(noise(0, (64, 64)), kind))
        for at in rng.integers(0, len(whole), 20):
            whole[at] ^= 0xFF
        try:
            assert pixels(reader, bytes(whole), Size(64, 64)).shape == (64, 64, 3)
        except BadPicture as error:
            assert str(error)


def test_base64_is_not_read_here(measure: Measure) -> None:
    """Text is no picture."""
    assert isinstance(measure(base64.b64encode(file_of(square()))), str)
