"""What becomes of a broken statement: its file is refused, or the statement is left out."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..errors import KGError

OnBroken: TypeAlias = Literal["fail", "skip"]
"""Whether a broken statement of a file ends its reading, or is left out and counted."""

_SHOWN = 3


@dataclass(frozen=True)
class LeftOut:
    """How many statements of its files a KG lacks, and for the first few where they are and why.

    A statement is a line of a format of lines, what ends in a dot of Turtle and TriG, and a triple
    of RDF/XML and JSON-LD.
    """

    statements: int = 0
    first: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """One line for the user; empty where nothing was left out."""
        if not self.statements:
            return ""
        several = self.statements > 1
        what = (
            f"{self.statements:,} broken statements were" if several else ("1 broken statement was")
        )
        more = "; ..." if self.statements > len(self.first) else ""
        return f"{what} left out of the graph: {'; '.join(self.first)}{more}"


class BrokenStatements:
    """Is told of every broken statement of a build."""

    def __init__(self, on_broken: OnBroken) -> None:
        self.skipped = on_broken == "skip"
        self._count = 0
        self._first: list[str] = []

    def meet(self, error: KGError) -> None:
        """Count a statement, of which the error says where it is and what is wrong; or raise it."""
        if not self.skipped:
            raise error
        self._count += 1
        if self.tells:
            self._first.append(error.message)

    @property
    def tells(self) -> bool:
        """Whether the next one is told with its place, and not only counted."""
        return len(self._first) < _SHOWN

    @property
    def left_out(self) -> LeftOut:
        """What was met so far."""
        return LeftOut(self._count, tuple(self._first))
