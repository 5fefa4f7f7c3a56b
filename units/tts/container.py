"""MP3, Opus and FLAC: a client's sound in a file, encoded piece by piece while the next one is not spoken yet."""

import io
from collections.abc import Callable

from units.sound.upload import Samples
from units.tts.engine import SpeechFailed

_FORMATS = {"mp3": ("MP3", "MPEG_LAYER_III"), "opus": ("OGG", "OPUS"), "flac": ("FLAC", "PCM_16")}
"""The containers of options.CONTAINERS and their content, as libsndfile calls them."""

# Opus takes some 60 ms for a second of sound on a slow core: after each the encoder looks for a cut.
SLICE_SECONDS = 1


class Encoder:
    """A file that grows."""

    def __init__(self, container: str, rate: int) -> None:
        """Open the file; raise SpeechFailed without soundfile, or when its libsndfile is too old for this container."""
        try:
            import soundfile  # only where it is needed: a tenth of a second, and 8 MiB
        except (ImportError, OSError) as error:  # OSError: the library that it brings does not load
            raise SpeechFailed(f"{container} needs soundfile: pip install soundfile ({error})") from error
        self._rate = rate
        self._file = io.BytesIO()
        format_, subtype = _FORMATS[container]
        try:
            self._writer = soundfile.SoundFile(self._file, "w", rate, 1, subtype, format=format_)
        except soundfile.LibsndfileError as error:
            raise SpeechFailed(f"libsndfile {soundfile.__libsndfile_version__} cannot write {container}") from error

    def write(self, samples: Samples, is_cut: Callable[[], bool]) -> None:
        """Append samples; give up what is left of them once `is_cut`."""
        step = SLICE_SECONDS * self._rate
        for at in range(0, len(samples), step):
            if is_cut():
                return
            self._writer.write(samples[at : at + step])

    def finish(self) -> bytes:
        """Close the file and return all of it."""
        self._writer.close()
        return self._file.getvalue()
