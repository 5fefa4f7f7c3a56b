"""A picture as a client sends it: the bytes of its file, which only `picture_reader` looks into."""

import base64
import binascii
import hashlib
from dataclasses import dataclass, field
from typing import Any

from unitd.wire.pictures import DETAILS, MAX_PICTURE_BYTES, MAX_SLICES
from units.setup_values import SetupValues, refusal

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Picture:
    """One picture of a prompt. Two of the same content are equal, wherever they stand."""

    content: bytes
    """A hash of the file and of how closely it is looked at."""

    most_slices: int
    """The number of slices into which the model may cut it; 0: as many as it wants."""

    data: bytes = field(repr=False, compare=False)
    """The file."""

    where: str = field(compare=False)
    """Its place in the request, for errors."""


def read_picture(value: Any, where: str) -> Picture:
    """Read {"image": "<base64>", "detail": "low", "max_slices": 4}; raise UnitFault, which names the place."""
    if not isinstance(value, dict) or not isinstance(value.get("image"), str):
        raise refusal(f"{where} must be an object with an image in base64")
    values = SetupValues(value, where)
    most = values.whole("max_slices", 0, 1, MAX_SLICES)
    if values.one_of("detail", "auto", DETAILS) == "low":
        most = 1
    try:
        data = base64.b64decode(value["image"], validate=True)
    except (binascii.Error, ValueError) as error:
        raise refusal(f"{where}.image is no base64") from error
    if len(data) > MAX_PICTURE_BYTES:
        raise refusal(f"{where} has {len(data) / _MIB:.1f} MiB, {MAX_PICTURE_BYTES // _MIB} MiB are the most")
    return Picture(hashlib.sha256(most.to_bytes() + data).digest(), most, data, where)
