"""Build ``world.ttl``, the bundled world graph, from the tables beside this file.

The tables under ``tables/`` are the source: `reading` reads them, `checks` refuses anything
inconsistent with one error that names the file and the line, and `turtle` writes Turtle that is
the same to the byte on every run. Run it after a change to a table::

    python -m groundwalk.data.world.build            # write world.ttl
    python -m groundwalk.data.world.build --check    # only say whether world.ttl is up to date
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .reading import load
from .terms import WorldError
from .turtle import check_parse, render, triples

WORLD_TTL = Path(__file__).resolve().parent / "world.ttl"


def is_current(text: str, path: Path = WORLD_TTL) -> bool:
    """Whether the file already holds exactly this text."""
    return path.is_file() and path.read_bytes() == text.encode("utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write ``world.ttl``, or with ``--check`` only say whether it is up to date."""
    parser = argparse.ArgumentParser(description="Build the world graph from its tables.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if world.ttl is out of date"
    )
    check_only: bool = parser.parse_args(arguments).check
    try:
        world = load()
        text = render(world)
        count = check_parse(text, triples(world))
    except WorldError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    summary = f"{WORLD_TTL.name}: {len(world.entities)} entities, {count} triples"
    if check_only and not is_current(text):
        print(f"{summary}; out of date, build it again", file=sys.stderr)
        return 1
    if not check_only:
        WORLD_TTL.write_bytes(text.encode("utf-8"))
    print(f"{summary}; up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
