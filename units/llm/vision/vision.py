"""Vision of one model: pictures are read, measured, encoded, and shown to the engine."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from unitd.wire.envelope import Envelope
from units.base import LATER, RUN_FAILED, UNAVAILABLE, UnitFault
from units.host import Host
from units.llm.context import Context
from units.llm.llama import VERSION, Model
from units.llm.sequence import Generation
from units.llm.snapshots import identity_of
from units.llm.vision.embeddings import Embeddings
from units.llm.vision.encoder import Encoder, WantedPicture
from units.llm.vision.layout import TEXT_ONLY, Layout
from units.llm.vision.measured import MeasuredPictures
from units.llm.vision.picture import Picture
from units.llm.vision.picture_reader import MISSING, TOO_MUCH, PictureReader, Size, is_installed
from units.llm.vision.projector import Floats, Projector
from units.trials import Began, Trials

Then = Callable[[UnitFault | None], Mapping[str, Any] | None]
"""Goes on when pictures are measured, or with the reason why they cannot be used; as a handler does."""


class Vision:
    """The pictures of all tasks of one model; a model without a projector refuses them."""

    def __init__(self, host: Host, trials: Trials, projector_path: str) -> None:
        """Start before the model is loaded: what reads pictures shares no memory with it."""
        self._host = host
        self._trials = trials
        self._path = projector_path
        self._reader: PictureReader | None = None
        self._encoder: Encoder | None = None
        if projector_path and is_installed():
            self._reader = PictureReader()
            self._reader.start()

    def load(self, model: Model, context: Context, load: Mapping[str, Any]) -> None:
        """Load the projector, if the model has one; raise LoadError when it cannot be used."""
        if self._reader is None:
            return
        path, cache_dir = Path(self._path), load["cache_dir"]
        self._projector = Projector(path, model, load["threads"] or len(os.sched_getaffinity(0)))
        identity = identity_of(path, identity_of(Path(load["path"])), VERSION)
        self._measured = MeasuredPictures(identity, self._projector.parts, context.batch_size)
        warn = partial(self._host.log, "warning")
        self._embeddings = Embeddings(Path(cache_dir) if cache_dir else None, self._projector.width, warn)
        self._encoder = Encoder(self._projector, self._reader, self._embeddings, self._tell)

    def _tell(self, key: bytes, words: str) -> None:
        self._host.post(Envelope("encoded", {"key": key, "words": words}))

    @property
    def about(self) -> str:
        """Return what the log says of it."""
        if self._reader is None:
            return f", without vision: {MISSING}" if self._path else ""
        return ", with vision"

    @property
    def is_encoding(self) -> bool:
        """Return True while a picture is being encoded."""
        return self._encoder is not None and self._encoder.is_at_work

    @property
    def encoded(self) -> int:
        """Return how many pictures were encoded since the start."""
        return self._encoder.encoded if self._encoder else 0

    def close(self) -> None:
        """End the thread and the processes."""
        if self._encoder is not None:
            self._encoder.close()
            self._projector.close()
        if self._reader is not None:
            self._reader.close()

    # Prompts

    def measure(
        self, envelope: Envelope, owner: str, pictures: Sequence[Picture], then: Then
    ) -> Mapping[str, Any] | None:
        """Go on when all pictures of a request are measured, at once where they are known (LATER)."""
        if not pictures:
            return then(None)
        if self._reader is None:
            has_none = f"{pictures[0].where} is an image; this model has no vision"
            return then(UnitFault(UNAVAILABLE, MISSING if self._path else has_none))
        unknown = {each.content: each for each in pictures if self._measured.find(owner, each) is None}
        if not unknown:
            return then(None)
        reader, wanted = self._reader, list(unknown.values())

        def begin() -> Began:
            reading = reader.measure([each.data for each in wanted])
            return Began(reading, reading.end, reading.close)

        def go_on(sizes: list[Size | str] | str | None) -> Mapping[str, Any] | None:
            try:
                self._note(owner, wanted, sizes)
            except UnitFault as fault:
                return then(fault)
            return then(None)

        self._trials.add(envelope, begin, go_on)
        return LATER

    def _note(self, owner: str, pictures: Sequence[Picture], sizes: list[Size | str] | str | None) -> None:
        """Remember the sizes; raise UnitFault for a file that cannot be read."""
        found = sizes if isinstance(sizes, list) else [sizes or TOO_MUCH] * len(pictures)
        for picture, size in zip(pictures, found, strict=True):
            if isinstance(size, str):
                raise UnitFault(RUN_FAILED, f"{picture.where} cannot be read: {size}")
            self._measured.add(owner, picture, size)

    def tokens(self, owner: str, picture: Picture) -> Sequence[int]:
        """Return the part of a prompt that a measured picture is."""
        measured = self._measured.find(owner, picture)
        assert measured is not None
        return measured.tokens

    def layout(self, prompt: Sequence[int]) -> Layout:
        """Return where the pictures of a prompt stand."""
        return TEXT_ONLY if self._encoder is None else self._measured.layout(prompt)

    def wanted_pictures(self, owner: str, pictures: Sequence[Picture]) -> dict[bytes, WantedPicture]:
        """Return what is needed to encode the pictures of a prompt, by their keys."""
        found = {}
        for picture in pictures:
            if (measured := self._measured.find(owner, picture)) is not None:
                key, size, rows = measured.key, measured.size, measured.rows
                found[key] = WantedPicture(key, size, rows, picture.data, picture.where)
        return found

    # For the engine

    def rows(self, key: bytes) -> Floats | None:
        """Return the embeddings of a picture, None until it is encoded."""
        return self._embeddings.find(key)

    def want(self, generation: Generation, keys: Sequence[bytes]) -> None:
        """Encode pictures for an answer."""
        assert self._encoder is not None
        for key in keys:
            if self.rows(key) is None:
                self._encoder.want(generation, generation.wanted_pictures[key], generation.priority)

    def forget(self, generation: Generation) -> None:
        """Give up what only this answer waits for."""
        if self._encoder is not None:
            self._encoder.forget(generation)
