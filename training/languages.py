"""The folder of wordings that training data is made of: a folder a language, a file a use."""

import tomllib
from pathlib import Path
from typing import Any

_WORDINGS = Path(__file__).parent / "wordings"


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
