"""An upload on its way through a hearing unit: read when it comes, heard in slices, answered at its end."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unitd.wire.envelope import Envelope
from units.base import UnitFault
from units.sound.upload import NOTHING, Samples, Upload


@dataclass
class UploadJob:
    """One upload; the envelope is answered when all of it has been heard, or refused when its turn comes."""

    envelope: Envelope
    samples: Samples
    """The samples that have not been heard yet."""

    is_whole: bool = False
    is_last: bool = False
    """True when nothing has come after it for a while: the utterance is over."""

    is_continued: bool = False
    """The next upload is more of the same WAV."""

    fault: UnitFault | None = None
    """Why it cannot be heard, or None."""

    @property
    def outcome(self) -> Mapping[str, Any]:
        """Return the fields of its answer."""
        return {"code": self.fault.code, "message": str(self.fault)} if self.fault else {}

    def take(self, count: int) -> Samples:
        """Return the next samples, at most `count`."""
        piece, self.samples = self.samples[:count], self.samples[count:]
        return piece


def job_of(envelope: Envelope, upload: Upload) -> UploadJob:
    """Return the job of a `hear` message, whose audio continues what `upload` has read."""
    fields = envelope.fields
    job = UploadJob(Envelope(envelope.type, fields), NOTHING, fields["is_whole"])
    job.is_continued = fields["form"] == "wav" and not job.is_whole
    try:
        job.samples = upload.feed(envelope.payload, fields["form"])
        if job.is_whole:
            job.samples = np.concatenate([job.samples, upload.finish()])
    except UnitFault as fault:
        job.samples, job.fault = NOTHING, fault
    return job
