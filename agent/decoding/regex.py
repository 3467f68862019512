"""One regular expression for many texts, in the syntax that all engines share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .wire import SEPARATOR

_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\.^$*+?()[]{}|"})


@dataclass
class _Node:
    """What may follow some parts, and whether a text may end here."""

    ends: bool = False
    after: dict[str, "_Node"] = field(default_factory=dict[str, "_Node"])


def alternation(texts: Iterable[Sequence[str]]) -> str:
    """An expression for texts given as the parts between separators; shared beginnings are shared.

    It has no anchors: the engine must match the whole text.
    """
    root = _Node()
    for parts in texts:
        node = root
        for part in parts:
            node = node.after.setdefault(part, _Node())
        node.ends = True
    return _any(root)


def literal(text: str) -> str:
    """An expression for this text alone."""
    return text.translate(_SPECIAL)


def _any(node: _Node) -> str:
    options = [literal(part) + _rest(after) for part, after in node.after.items()]
    return options[0] if len(options) == 1 else f"({'|'.join(options)})"


def _rest(node: _Node) -> str:
    if not node.after:
        return ""
    rest = literal(SEPARATOR) + _any(node)
    return f"({rest})?" if node.ends else rest
