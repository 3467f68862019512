"""The English around the wordings of relations, from the packaged TOML files."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias
from zlib import crc32

from .languages import wordings

Texts: TypeAlias = tuple[str, ...]

THIRDS = 3
"""Templates fall into this many parts by their text; measuring holds one part out."""


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


def part_of(text: str) -> int:
    """Which third a template belongs to; the same on every machine."""
    return crc32(text.encode()) % THIRDS


def choose(texts: Texts, *, held_out: bool) -> Texts:
    """The templates of the held-out third, or the others; all when that would leave none."""
    return tuple(text for text in texts if (part_of(text) == 0) == held_out) or texts


def split(english: English, *, held_out: bool) -> English:
    """Only the held-out third of each section, or only the rest."""
    return English(
        frames=_split(english.frames, held_out),
        telegraph=_split(english.telegraph, held_out),
        generic=_split(english.generic, held_out),
        contractions=english.contractions,
        unanswerable=_split(english.unanswerable, held_out),
    )


def _split(sections: Mapping[str, Texts], held_out: bool) -> dict[str, Texts]:
    return {name: choose(texts, held_out=held_out) for name, texts in sections.items()}


def _sections(table: Mapping[str, list[str]]) -> dict[str, Texts]:
    return {name: tuple(texts) for name, texts in table.items()}
