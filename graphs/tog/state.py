"""What flows through the loop of tog, beside the state of the skeleton: plain JSON."""

from typing_extensions import TypedDict

from ...agent.nodes.explore import Walk, Way
from ...agent.options import Options
from ...agent.state import Candidate, State

DEPTH = 3
"""The longest walk where the user sets none (the paper's D)."""


class Pick(TypedDict):
    """A way that was chosen out of the end of a walk, by the walk's position."""

    walk: int
    way: Way
    score: float
    relevance: float


class TogState(State, total=False):
    """The walks that are kept, and all that were kept before them.

    `claims` are what replies named without its being offered, `unread` how many replies could not
    be read, `shortened` how many were not whole, `sampled` how many relations led to more entities
    than were scored, `cuts` what walks could not use. `silent` is the error of a chat LLM that
    stopped answering.
    """

    walks: list[Walk]
    gathered: list[Walk]
    picks: list[Pick]
    claims: list[Candidate]
    grown: int
    enough: bool
    unread: int
    shortened: int
    sampled: int
    cuts: list[str]
    silent: str


def longest(options: Options) -> int:
    """How many steps a walk may have: `depth`, else `hops`, else the paper's."""
    chosen = options.hops if options.depth is None else options.depth
    return DEPTH if chosen is None else chosen
