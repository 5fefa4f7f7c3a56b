"""The values of a GGUF file's header that tell what the model is and how much memory it needs.

The daemon loads no engine, so it reads these few values itself. The file may be hostile: every length in the header is
checked against MAX_HEADER_BYTES before bytes are read or skipped, no number from the file decides how much memory is
allocated, and only the keys in NUMBERS and TEXTS are kept. Impossible values raise a ValueError. A file that is no
GGUF, or has an unknown version, is no error here: the engine decides about it.
"""

import struct
from dataclasses import dataclass
from typing import BinaryIO

# The largest vocabularies known (262,144 tokens with scores and merges) take half of it.
MAX_HEADER_BYTES = 32 * 1024 * 1024
# Keys and texts take time, not bytes: 1.3 million keys take three seconds. Models have 30 to 60.
MAX_KEYS = 4096
# The largest vocabularies with their merges have 800,000; to skip so many takes a fifth of a second.
MAX_TEXTS = 1_200_000
# The longest chat templates known have 20,000 characters.
MAX_TEXT_BYTES = 256 * 1024
# The format's own limit.
MAX_KEY_BYTES = 65_535
# Lists have a number for each layer; the deepest models known have about 130 layers.
MAX_LAYER_LIST = 1024
# A vocabulary is skipped in blocks of this size rather than text by text.
BLOCK_BYTES = 256 * 1024
KNOWN_VERSIONS = (2, 3)

_TEXT, _LIST = 8, 9
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_SCALARS = {kind: struct.Struct("<" + letter) for kind, letter in _FORMATS.items()}
_LENGTH = _SCALARS[10]
_CUT_OFF = "it ends in the middle of its header"

NUMBERS = frozenset(
    {
        "context_length",
        "block_count",
        "embedding_length",
        "feed_forward_length",
        "attention.head_count",
        "attention.head_count_kv",
        "attention.key_length",
        "attention.value_length",
    }
)
"""The keys of numbers to keep, without the architecture's name before them."""

TEXTS = frozenset(
    {"general.architecture", "general.type", "general.name", "general.license", "tokenizer.chat_template"}
)
"""The keys of texts to keep."""

Number = int | tuple[int, ...]
"""A number for the whole model, or one for each layer."""


@dataclass(frozen=True)
class Shape:
    """The size of a transformer; 0 for values that the header lacks."""

    layers: int
    width: int
    hidden: int
    """The widest feed-forward layer."""

    heads: int
    cached_values: int
    """Numbers of keys and values that the cache keeps for one token, in all layers."""


@dataclass(frozen=True)
class Description:
    """What a file's header says about its model; "" and 0 for values that it lacks."""

    shape: Shape
    architecture: str = ""
    kind: str = ""
    """model, adapter (LoRA) or mmproj (vision for another model); "" in older files."""

    name: str = ""
    licence: str = ""
    context_length: int = 0
    """The length of the context in tokens that it was trained with."""

    chat_template: str = ""

    @property
    def is_projector(self) -> bool:
        """True for the vision of another model."""
        return self.kind == "mmproj" or self.architecture == "clip"

    @property
    def is_model(self) -> bool:
        """False for what only adds to another model."""
        return self.kind in ("", "model") and not self.is_projector


def read_shape(file: BinaryIO) -> Shape | None:
    """Return the shape of the model in a file, read from its beginning; None if it is no known GGUF.

    Raises:
        ValueError: as in `read_description`.
    """
    description = read_description(file)
    return description.shape if description else None


def read_description(file: BinaryIO) -> Description | None:
    """Return the description in a file's header, read from its beginning; None if it is no known GGUF.

    Raises:
        ValueError: the header is cut off, or has impossible values; the words say which.
    """
    header = Header(file)
    if file.read(4) != b"GGUF" or header.number(4) not in KNOWN_VERSIONS:
        return None
    header.number(10)  # the count of tensors, which come after all keys
    numbers: dict[str, Number] = {}
    texts: dict[str, str] = {}
    for _ in range(header.count_of_keys()):
        key, kind = header.key(), header.number(4)
        short = key.partition(".")[2]
        if key in TEXTS and kind == _TEXT:
            texts[key] = header.text()
        elif short in NUMBERS:
            numbers[short] = header.value(short, kind)
        else:
            header.skip_value(kind)
    return _description_of(numbers, texts)


def _description_of(numbers: dict[str, Number], texts: dict[str, str]) -> Description:
    return Description(
        shape=_shape_of(numbers),
        architecture=texts.get("general.architecture", ""),
        kind=texts.get("general.type", ""),
        name=texts.get("general.name", ""),
        licence=texts.get("general.license", ""),
        context_length=_largest(numbers.get("context_length", 0)),
        chat_template=texts.get("tokenizer.chat_template", ""),
    )


def _shape_of(values: dict[str, Number]) -> Shape:
    layers = _largest(values.get("block_count", 0))
    heads = _largest(values.get("attention.head_count", 0))
    width = _largest(values.get("embedding_length", 0))
    usual_size = width // heads if heads else 0
    sizes = (values.get(f"attention.{name}_length", usual_size) for name in ("key", "value"))
    kv_heads = values.get("attention.head_count_kv", heads)
    return Shape(
        layers=layers,
        width=width,
        hidden=_largest(values.get("feed_forward_length", 0)),
        heads=heads,
        cached_values=(kv_heads * layers if isinstance(kv_heads, int) else sum(kv_heads)) * sum(map(_largest, sizes)),
    )


def _largest(value: Number) -> int:
    return value if isinstance(value, int) else max(value, default=0)


class Header:
    """Reads a file's header value by value, and never further than MAX_HEADER_BYTES."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = MAX_HEADER_BYTES
        self._texts_left = MAX_TEXTS

    def number(self, kind: int) -> int:
        """Return the next number, of this type."""
        return int(self._scalar(_SCALARS[kind]))

    def count_of_keys(self) -> int:
        """Return how many keys with values follow."""
        if (count := self.number(10)) > MAX_KEYS:
            raise ValueError(f"its header claims {count} keys, {MAX_KEYS} are the most")
        return count

    def key(self) -> str:
        """Return the next key."""
        length = self.number(10)
        if length > MAX_KEY_BYTES:
            raise ValueError(f"its header has a key of {length} bytes")
        return self._take(length).decode(errors="replace")

    def text(self) -> str:
        """Return the next text; "" for one over MAX_TEXT_BYTES, which is skipped."""
        length = self.number(10)
        if length > MAX_TEXT_BYTES:
            self._skip(length)
            return ""
        return self._take(length).decode(errors="replace")

    def value(self, key: str, kind: int) -> Number:
        """Return the next value, of this type: a whole number, or one for each layer."""
        if kind != _LIST:
            return self._whole_number(key, kind)
        kind, count = self.number(4), self.number(10)
        if count > MAX_LAYER_LIST:
            raise ValueError(f"its header has {key} for {count} layers")
        form = struct.Struct(f"<{count}{self._format(kind).format[1:]}")
        return tuple(_whole(key, each) for each in form.unpack(self._take(form.size)))

    def skip_value(self, kind: int) -> None:
        """Skip the next value, of this type."""
        if kind == _TEXT:
            self._skip(self.number(10))
        elif kind == _LIST:
            kind, count = self.number(4), self.number(10)
            self._skip_list(kind, count)
        else:
            self._skip(self._format(kind).size)

    def _skip_list(self, kind: int, count: int) -> None:
        if kind == _TEXT:
            self._skip_texts(count)
        else:
            self._skip(count * self._format(kind).size)

    def _skip_texts(self, count: int) -> None:
        """Skip texts; a vocabulary has hundreds of thousands, so they are read in blocks, not one by one."""
        self._texts_left -= count
        if self._texts_left < 0:
            raise ValueError(f"its header claims more than {MAX_TEXTS} texts")
        block, at = b"", 0
        for _ in range(count):
            if at + _LENGTH.size > len(block):
                block, at = self._block_from(at - len(block), block[at:]), 0
            size = _LENGTH.size + _LENGTH.unpack_from(block, at)[0]
            self._spend(size)
            at += size
        self._file.seek(at - len(block), 1)

    def _block_from(self, ahead: int, rest: bytes) -> bytes:
        """Return the rest of the last block and the bytes after it; skip `ahead` bytes before."""
        if ahead > 0:
            self._file.seek(ahead, 1)
        block = rest + self._file.read(BLOCK_BYTES)
        if len(block) < _LENGTH.size:
            raise ValueError(_CUT_OFF)
        return block

    def _whole_number(self, key: str, kind: int) -> int:
        return _whole(key, self._scalar(self._format(kind)))

    def _format(self, kind: int) -> struct.Struct:
        if kind not in _SCALARS:
            raise ValueError(f"its header has a value of the unknown type {kind}")
        return _SCALARS[kind]

    def _scalar(self, form: struct.Struct) -> int | float:
        number: int | float = form.unpack(self._take(form.size))[0]
        return number

    def _take(self, count: int) -> bytes:
        self._spend(count)
        data = self._file.read(count)
        if len(data) < count:
            raise ValueError(_CUT_OFF)
        return data

    def _skip(self, count: int) -> None:
        self._spend(count)
        self._file.seek(count, 1)

    def _spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise ValueError(f"its header claims to be longer than {MAX_HEADER_BYTES >> 20} MiB")


def _whole(key: str, number: int | float) -> int:
    if not isinstance(number, int) or number < 0:
        raise ValueError(f"its header says that {key} is {number}")
    return number
