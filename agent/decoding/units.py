"""Label token units: each name is tokenised once, and paths are made of the pieces.

Whether tokenising the pieces equals tokenising the whole path depends on the tokenizer: byte-level
BPE wants `" ->"` and `" " + name`, SentencePiece wants bare names. `unit_style` finds out which.
Distinct names always get distinct token sequences: those that would collide are numbered.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from ..errors import ConstraintError
from .model import Tokenizer
from .wire import ARROW, SEPARATOR, Wire, escape

Tokens = tuple[int, ...]
Tokenise = Callable[[Sequence[str]], list[Tokens]]


@dataclass(frozen=True)
class UnitStyle:
    """How this tokenizer spells a walk piece by piece; `exact` if that is its own spelling."""

    lead: str
    arrow: Tokens
    exact: bool


def tokenize(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Tokens]:
    """Token ids of each text, where nothing in a text counts as a special token."""
    if not texts:
        return []
    batch = cast(Any, tokenizer)(list(texts), add_special_tokens=False, split_special_tokens=True)
    return [tuple(ids) for ids in batch["input_ids"]]


def tag_token(tokenizer: Tokenizer, tag: str) -> int:
    """The one token of a tag. Raises ConstraintError where the tokenizer has none."""
    token = cast(Any, tokenizer).get_added_vocab().get(tag)
    if token is None:
        raise ConstraintError(
            f"the model's tokenizer has no token {tag}, so the constraint cannot be applied",
            "use a model that was trained for reasoning paths (`groundwalk train` makes one)",
        )
    return int(token)


def wire_tokens(tokenizer: Tokenizer, wire: Wire) -> tuple[int, int]:
    """The tokens that open and close a wire format."""
    return tag_token(tokenizer, wire.open), tag_token(tokenizer, wire.close)


def unit_style(tokenizer: Tokenizer, names: Sequence[str]) -> UnitStyle:
    """The style whose pieces add up to the tokenizer's own spelling of walks over `names`.

    Where neither is exact on all of them (odd labels in odd tokenizers), the better one is taken:
    the paths are legal all the same, only spelled as the model would not quite spell them.
    """
    sample = [escape(name) for name in names[:200]] or ["a", "b"]
    walks = [[sample[(i - 2) % len(sample)], sample[i - 1], sample[i]] for i in range(len(sample))]
    whole = tokenize(tokenizer, [SEPARATOR.join(walk) for walk in walks])
    best: tuple[int, UnitStyle] | None = None
    for lead, arrow_text in ((" ", ARROW), ("", ARROW.strip())):
        arrow = tokenize(tokenizer, [arrow_text])[0]
        first = tokenize(tokenizer, [walk[0] for walk in walks])
        middle = tokenize(tokenizer, [lead + walk[1] for walk in walks])
        last = tokenize(tokenizer, [lead + walk[2] for walk in walks])
        same = sum(
            a + arrow + b + arrow + c == w
            for a, b, c, w in zip(first, middle, last, whole, strict=True)
        )
        if best is None or same > best[0]:
            best = (same, UnitStyle(lead, arrow, same == len(walks)))
    assert best is not None
    return best[1]


def unit_tokens(tokenizer: Tokenizer, style: UnitStyle, spelled: Sequence[str]) -> list[Tokens]:
    """One unit for each escaped name, pairwise different: tokenizers and escaping merge names."""
    return DistinctUnits(partial(tokenize, tokenizer), style.lead).make(spelled)


class DistinctUnits:
    """Units that stay pairwise different in however many calls: what collides is numbered."""

    def __init__(self, tokenise: Tokenise, lead: str) -> None:
        """Spell each name with `lead` before it."""
        self._tokenise = tokenise
        self._lead = lead
        self._taken: set[Tokens] = set()
        self._numbers: dict[str, int] = {}

    def make(self, spelled: Sequence[str]) -> list[Tokens]:
        """One more unit for each escaped name.

        Raises ConstraintError where the tokenizer does not even tell numbers apart.
        """
        units = self._tokenise([self._lead + name for name in spelled])
        for i, unit in enumerate(units):
            if not unit or unit in self._taken:
                units[i] = unit = self._numbered(spelled[i])
            self._taken.add(unit)
        return units

    def _numbered(self, name: str) -> Tokens:
        for number in range(self._numbers.get(name, 1) + 1, len(self._taken) + 3):
            (unit,) = self._tokenise([f"{self._lead}{name} ({number})"])
            if unit and unit not in self._taken:
                self._numbers[name] = number
                return unit
        raise ConstraintError(f"the tokenizer cannot tell labels apart: {name!r}")


def tokenizer_digest(tokenizer: Tokenizer) -> str:
    """A digest of what decides how text is tokenised."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    text = backend.to_str() if backend is not None else repr(sorted(tokenizer.get_vocab().items()))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
