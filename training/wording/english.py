"""The English around the wordings of relations, from the packaged TOML files."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

_WORDINGS = Path(__file__).parents[1] / "wordings"


def wordings(use: str) -> dict[str, Any]:
    """The English wordings for a use, by their names."""
    return _read(_WORDINGS / "en" / f"{use}.toml")


def wordings_of_all(use: str) -> list[dict[str, Any]]:
    """The wordings for a use, of each language that has any."""
    return [_read(file) for file in sorted(_WORDINGS.glob(f"*/{use}.toml"))]


def domain_files() -> list[Path]:
    """The files of domains with the words in which people ask, of all languages."""
    return sorted(_WORDINGS.glob("*/domains/*.toml"))


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


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
