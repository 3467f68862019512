"""What the builders of the graphs share: tables, literals, names of things, and Turtle."""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

Facts = Mapping[str, Iterable[tuple[str, str]]]
"""The relations and values of each subject, as Turtle spells them."""


def names(table: str) -> list[str]:
    """Gives the names of a table."""
    return table.strip().replace("\n", "|").split("|")


def slug(name: str, joint: str = "-") -> str:
    """Gives a name in small letters and digits of ASCII, with the joint between its words."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", joint, plain).strip(joint)


def text(value: object, kind: str = "") -> str:
    """Gives a Turtle literal of an XML Schema type, or a plain string."""
    return f'"{value}"' + (f"^^xsd:{kind}" if kind else "")


def turtle(prefixes: Mapping[str, str], graph: Facts) -> bytes:
    """Writes a graph as Turtle."""
    blocks = ["".join(f"@prefix {name}: <{start}> .\n" for name, start in prefixes.items())]
    for subject, facts in graph.items():
        blocks.append(f"{subject} " + " ;\n    ".join(f"{r} {v}" for r, v in facts) + " .\n")
    return "\n".join(blocks).encode()


def write(file: Path, content: Callable[[], bytes]) -> None:
    """Writes the graph; with --check, says only whether the file on disk is up to date."""
    if "--check" not in sys.argv[1:]:
        file.write_bytes(content())
    elif not file.exists() or file.read_bytes() != content():
        sys.exit(f"{file.name} is out of date")
