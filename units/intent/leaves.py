"""One of each word and reference: thousands of templates have the same, and they are most of the memory."""

from typing import Any

from hassil import Sentence
from hassil.expression import Expression, Group, TextChunk


class LeafSharer:
    """Replaces the words and references of templates by those of earlier templates."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Any, ...], Expression] = {}

    def __call__(self, sentence: Sentence) -> None:
        """Let a template share what it can."""
        self._share(sentence.expression)

    def _share(self, group: Expression) -> None:
        if not isinstance(group, Group):
            return
        for at, item in enumerate(group.items):
            if isinstance(item, TextChunk):
                item.parent = None
            if not isinstance(item, Group):
                group.items[at] = self._kept.setdefault((type(item), *vars(item).values()), item)
            self._share(item)
