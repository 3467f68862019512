"""The promise as a table: how much was tried, and how often it was broken."""

from collections.abc import Iterable

from .changed import change
from .decodes import decode
from .forged import forge
from .queries import ask


def rows(size: int = 1_000, seed: int = 0) -> Iterable[tuple[str, int, int]]:
    """Each suite, the inputs that it tried, and what was unsupported and shown as supported.

    A suite tries at least `size` inputs. The inputs of `decodes` are finished words of a search,
    those of `queries` trees, those of the others chains.
    """
    decoded = decode(size, seed)
    yield "decodes", decoded.decodes, decoded.unsupported
    forged = forge(size, seed)
    yield "forged chains", forged.chains, forged.unsupported
    changed = change(-(-size // 3), seed)
    yield "changed stores", changed.chains, changed.unsupported
    asked = ask(size, seed)
    yield "queries", asked.queries, asked.unsupported + asked.injected
