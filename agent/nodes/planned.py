"""What a relation path from the topic entities stands for, whoever chose it."""

from collections.abc import Sequence

from ..kg import KnowledgeGraph
from ..kg.execution import execute
from ..kg.terms import Path, RelationPath, Term
from ..options import Options
from ..state import Candidate
from .records import candidates_of


def planned(
    kg: KnowledgeGraph,
    topics: Sequence[Term],
    relations: RelationPath,
    options: Options,
    *,
    score: float,
    relevance: float,
) -> tuple[list[Candidate], int]:
    """For each topic that the relation path leaves, a path that walks it; and the requests.

    The candidates stand for their relation path: `induce` executes it in full where it elects them.
    """
    banned = [] if options.revisits == "walk" else topics
    walked, requests = list[Path](), 0
    for topic in topics:
        execution = execute(kg.walks, [topic], relations, banned=banned, keep=1)
        requests += execution.requests
        walked += [reached.paths[0] for reached in execution.reached[:1]]
    return candidates_of(kg, walked, score, relevance), requests
