"""The English around the wordings of relations, from the packaged TOML files."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from .languages import wordings

Texts: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class English:
    """Templates by section: `frames` around answerable questions, `telegraph` by number of steps.

    `contractions` maps words to other spellings of them; `unanswerable` has its own sections.
    """

    frames: Mapping[str, Texts]
    telegraph: Mapping[str, Texts]
    generic: Mapping[str, Texts]
    contractions: Mapping[str, Texts]
    unanswerable: Mapping[str, Texts]


@cache
def load_english() -> English:
    """The packaged templates."""
    main, unanswerable = wordings("questions"), wordings("unanswerable")
    return English(
        frames=_sections({k: v for k, v in main.items() if isinstance(v, list)}),
        telegraph=_sections(main["telegraph"]),
        generic=_sections(main["generic"]),
        contractions=_sections(main["contractions"]),
        unanswerable=_sections(unanswerable),
    )


def _sections(table: Mapping[str, list[str]]) -> dict[str, Texts]:
    return {name: tuple(texts) for name, texts in table.items()}
