"""Vision of one model: pictures are read, measured, encoded, and shown to the engine.

All of it is loaded for the first picture: a model that is only asked about texts has the memory of a model without
vision. That takes a moment, in the thread that waits for the picture to be measured; other answers go on.
"""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from unitd.wire.envelope import Envelope
from units.base import LATER, RUN_FAILED, UNAVAILABLE, LoadError, UnitFault
from units.host import NO_MEMORY, Host
from units.llm.context import Context
from units.llm.llama import VERSION, Model, check_file
from units.llm.sequence import Generation
from units.llm.snapshots import identity_of
from units.llm.vision.embeddings import Embeddings
from units.llm.vision.encoder import Encoder, WantedPicture
from units.llm.vision.layout import TEXT_ONLY, Layout
from units.llm.vision.measured import Measured, MeasuredPictures
from units.llm.vision.picture import Picture
from units.llm.vision.picture_reader import TOO_MUCH, PictureReader, Reading, Size
from units.llm.vision.projector import Floats, Projector
from units.trials import Began, Trials

Then = Callable[[UnitFault | None], Mapping[str, Any] | None]
"""Goes on when pictures are measured, or with the reason why they cannot be used; as a handler does."""


_BLIND = "is an image; this model has no vision"


class _Sight(NamedTuple):
    """What is loaded for the first picture."""

    projector: Projector
    measured: MeasuredPictures
    embeddings: Embeddings
    encoder: Encoder


class _Measuring(NamedTuple):
    """The sizes of files, from a process; the projector, which counts their tokens, is there when they come."""

    reading: Reading
    prepare: Callable[[], str]

    def poll(self, seconds: float, /) -> bool:
        """Return True when the sizes are there."""
        return self.reading.poll(seconds)

    def recv(self) -> Any:
        """Return the sizes, or words that say why no picture can be used."""
        sizes = self.reading.recv()
        return self.prepare() or sizes


class Vision:
    """The pictures of all tasks of one model; a model without a projector refuses them."""

    def __init__(self, host: Host, trials: Trials, projector_path: str) -> None:
        """Take the path of the projector, "" for a model without one."""
        self._host = host
        self._trials = trials
        self._path = Path(projector_path) if projector_path else None
        self._reader = PictureReader()
        self._sight: _Sight | None = None
        self._refusal = ""
        """The words that say why the projector cannot be loaded."""

        self._loading = threading.Lock()

    def prepare(self, model: Model, context: Context, load: Mapping[str, Any]) -> None:
        """Note what the projector is for; raise LoadError when it is no file that could be one."""
        if self._path is not None:
            check_file(self._path)
        self._load = partial(self._load_sight, model, context, load)

    def _load_sight(self, model: Model, context: Context, load: Mapping[str, Any]) -> _Sight:
        """Load everything; raise LoadError when the projector cannot be used."""
        assert self._path is not None
        cache_dir, warn = load["cache_dir"], partial(self._host.log, "warning")
        projector = Projector(self._path, model, load["threads"] or len(os.sched_getaffinity(0)))
        identity = identity_of(self._path, identity_of(Path(load["path"])), VERSION)
        embeddings = Embeddings(Path(cache_dir) if cache_dir else None, projector.width, warn)
        return _Sight(
            projector,
            MeasuredPictures(identity, projector.parts, context.batch_size),
            embeddings,
            Encoder(projector, self._reader, embeddings, self._tell),
        )

    def _ensure_loaded(self) -> str:
        """Load for the first picture, in the thread that measures it; return words when that cannot be."""
        with self._loading:
            if self._sight is None and not self._refusal:
                try:
                    self._sight = self._load()
                except (LoadError, OSError) as error:
                    self._refusal = str(error)
                except MemoryError:
                    self._refusal = NO_MEMORY
            return self._refusal

    def _tell(self, key: bytes, words: str) -> None:
        self._host.post(Envelope("encoded", {"key": key, "words": words}))

    @property
    def about(self) -> str:
        """Return what the log says of it."""
        return ", with vision" if self._path else ""

    @property
    def is_encoding(self) -> bool:
        """Return True while a picture is being encoded."""
        return self._sight is not None and self._sight.encoder.is_at_work

    @property
    def encoded(self) -> int:
        """Return how many pictures were encoded since the start."""
        return self._sight.encoder.encoded if self._sight else 0

    def close(self) -> None:
        """End the thread and the processes."""
        if self._sight is not None:
            self._sight.encoder.close()
            self._sight.projector.close()
        self._reader.close()

    # Prompts

    def measure(
        self, envelope: Envelope, owner: str, pictures: Sequence[Picture], then: Then
    ) -> Mapping[str, Any] | None:
        """Go on when all pictures of a request are measured, at once where they are known (LATER)."""
        if not pictures:
            return then(None)
        if self._path is None or self._refusal:
            return then(self._fault(pictures[0]))
        unknown = {each.content: each for each in pictures if self._found(owner, each) is None}
        if not unknown:
            return then(None)
        wanted = list(unknown.values())

        def begin() -> Began:
            reading = self._reader.measure([each.data for each in wanted])
            return Began(_Measuring(reading, self._ensure_loaded), reading.end, reading.close)

        def go_on(sizes: list[Size | str] | str | None) -> Mapping[str, Any] | None:
            try:
                self._note(owner, wanted, sizes)
            except UnitFault as fault:
                return then(fault)
            return then(None)

        self._trials.add(envelope, begin, go_on)
        return LATER

    def _fault(self, picture: Picture) -> UnitFault:
        words = f"is an image; its projector cannot be loaded: {self._refusal}" if self._refusal else _BLIND
        return UnitFault(UNAVAILABLE, f"{picture.where} {words}")

    def _found(self, owner: str, picture: Picture) -> Measured | None:
        return self._sight.measured.find(owner, picture) if self._sight else None

    def _note(self, owner: str, pictures: Sequence[Picture], sizes: list[Size | str] | str | None) -> None:
        """Remember the sizes; raise UnitFault for a file that cannot be read."""
        if self._refusal:
            raise self._fault(pictures[0])
        found = sizes if isinstance(sizes, list) else [sizes or TOO_MUCH] * len(pictures)
        for picture, size in zip(pictures, found, strict=True):
            if isinstance(size, str):
                raise UnitFault(RUN_FAILED, f"{picture.where} cannot be read: {size}")
            assert self._sight is not None  # it came with the sizes
            self._sight.measured.add(owner, picture, size)

    def tokens(self, owner: str, picture: Picture) -> Sequence[int]:
        """Return the part of a prompt that a measured picture is."""
        measured = self._found(owner, picture)
        assert measured is not None
        return measured.tokens

    def layout(self, prompt: Sequence[int]) -> Layout:
        """Return where the pictures of a prompt stand."""
        return TEXT_ONLY if self._sight is None else self._sight.measured.layout(prompt)

    def wanted_pictures(self, owner: str, pictures: Sequence[Picture]) -> dict[bytes, WantedPicture]:
        """Return what is needed to encode the pictures of a prompt, by their keys."""
        found = {}
        for picture in pictures:
            if (measured := self._found(owner, picture)) is not None:
                key, size, rows = measured.key, measured.size, measured.rows
                found[key] = WantedPicture(key, size, rows, picture.data, picture.where)
        return found

    # For the engine

    def rows(self, key: bytes) -> Floats | None:
        """Return the embeddings of a picture, None until it is encoded."""
        return self._sight.embeddings.find(key) if self._sight else None

    def want(self, generation: Generation, keys: Sequence[bytes]) -> None:
        """Encode pictures for an answer."""
        assert self._sight is not None
        for key in keys:
            if self.rows(key) is None:
                self._sight.encoder.want(generation, generation.wanted_pictures[key], generation.priority)

    def forget(self, generation: Generation) -> None:
        """Give up what only this answer waits for."""
        if self._sight is not None:
            self._sight.encoder.forget(generation)
