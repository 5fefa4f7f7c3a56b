"""The way through a file: packets of pictures and of sound in the order in which they stand.

The file is read once from its beginning, whatever its header says of its length. It cannot name other files: only
containers that hold everything themselves are known.
"""

import io
from typing import Any

import av

from unitd.wire.envelope import Envelope
from unitd.wire.videos import MAX_PIXELS
from units.video.frames import FrameChoice
from units.video.sound import SoundTrack

CONTAINERS = {
    "mov,mp4,m4a,3gp,3g2,mj2": "MP4",
    "matroska,webm": "WebM",
    "avi": "AVI",
    "mpegts": "MPEG-TS",
}
"""libav's names of what may be opened, and what people call it."""

NO_VIDEO = f"it is no video ({', '.join(CONTAINERS.values())}), or it is truncated"

_OPTIONS = {"format_whitelist": ",".join(CONTAINERS), "protocol_whitelist": ""}

# When pictures are taken so rarely, those between the key pictures are not decoded: the latter come more often.
KEY_FRAMES_ONLY_SECONDS = 8.0


class BadVideo(Exception):
    """A file that cannot be read; the words say why."""


def read(data: bytes, *, frames: int, stack: int, in_pieces: bool) -> list[Envelope]:
    """Return the messages for a video: its frames and sounds in the order of time, and the end.

    Raises:
        BadVideo: it is no video, or nothing of it can be decoded.
    """
    try:
        container = av.open(io.BytesIO(data), options=_OPTIONS)
    except (av.FFmpegError, ValueError) as error:
        raise BadVideo(NO_VIDEO) from error
    with container:
        if not container.streams.video:
            raise BadVideo("it has no pictures")
        reader = _Reader(container, FrameChoice(frames, stack), SoundTrack())
        reader.read_all()
    if not reader.choice.taken:
        raise BadVideo("none of its pictures can be decoded") from reader.last_error
    parts = reader.choice.messages() + reader.sound.messages(in_pieces=in_pieces)
    # What is said in a second comes after what is seen in it.
    ordered = sorted(parts, key=lambda part: part.fields["until"]) if in_pieces else parts
    return [*ordered, Envelope("end", {"seconds": reader.seconds, "is_cut": reader.sound.is_full})]


class _Reader:
    """One pass through a file."""

    def __init__(self, container: Any, choice: FrameChoice, sound: SoundTrack) -> None:
        self.choice = choice
        self.sound = sound
        self.seconds = 0.0
        self.last_error: Exception | None = None
        self._container = container
        self._pictures = container.streams.video[0]
        self._pictures.codec_context.thread_count = 1
        self._pictures.codec_context.options = {"max_pixels": str(MAX_PIXELS)}
        self._check_size()
        self._begin: float | None = None
        self._count = 0

    def _check_size(self) -> None:
        width, height = self._pictures.codec_context.width, self._pictures.codec_context.height
        if width * height > MAX_PIXELS:
            raise BadVideo(f"its pictures have {width} x {height} pixels, {MAX_PIXELS / 1e6:g} megapixels are the most")

    def read_all(self) -> None:
        """Decode the file to its end; what is damaged is left out."""
        streams = [self._pictures, *self._container.streams.audio[:1]]
        packets = self._container.demux(streams)
        while True:
            try:
                packet = next(packets)
                for frame in packet.decode():
                    self._take(packet.stream, frame)
            except StopIteration:
                return
            except av.InvalidDataError as error:
                self.last_error = error

    def _take(self, stream: Any, frame: Any) -> None:
        if stream is not self._pictures:
            self.sound.take(frame)
            return
        at = self._time_of(frame)
        self.seconds = max(self.seconds, at)
        self.choice.take(frame, at)
        if self.choice.step_seconds >= KEY_FRAMES_ONLY_SECONDS:
            stream.codec_context.skip_frame = "NONKEY"

    def _time_of(self, frame: Any) -> float:
        """Return the seconds since the first picture; by their number, where the file does not tell."""
        self._count += 1
        if frame.time is None:
            return self._count / float(self._pictures.average_rate or 25)
        if self._begin is None:
            self._begin = float(frame.time)
        return max(0.0, float(frame.time) - self._begin)
