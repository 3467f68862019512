"""The vote: what the decoded paths say together, when no general LLM reasons over them.

A relation path's votes are its relevance, times the share of the probability that its topics have:
how many of its walks were found, and how likely the names along them are, says nothing of what was
asked. Where a model finds none relevant at all, since it was never trained for this, its paths vote
with their probability. The likely relation paths are executed on the store, so that a question with
fifty answers gets fifty, not as many as there are beams; those that reach the same entities stand
together (a city's country, and the country whose capital it is). Where all topics of a question
meet, that is meant (`meeting`).
Deterministic: ties go to the shorter, then the smaller relation path.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from ..kg.execution import Execution, Junction, execute
from ..kg.store import Store
from ..kg.terms import Path, Term
from ..options import Options
from ..state import Candidate
from .meeting import Ends, meeting
from .parties import Party, parties_of

_CHANCE = 0.05
"""A relation path's share of the best one's votes below which it is not executed."""


@dataclass(frozen=True)
class Elected:
    """An answer of the winning relation path."""

    end: Term
    paths: tuple[Path, ...]
    score: float


@dataclass(frozen=True)
class Outcome:
    """The answers, how sure the model was of their relation path, and what was left out."""

    elected: tuple[Elected, ...]
    confidence: float
    left_out: int
    truncated: bool
    requests: int


def vote(
    store: Store,
    candidates: Sequence[Candidate],
    linked: Sequence[Term],
    options: Options,
    *,
    common: bool = False,
    apart: bool = False,
    offered: Callable[[Sequence[Term]], Collection[Term]] | None = None,
) -> Outcome | None:
    """The outcome for the candidates, or None when there are none; `linked` are all topics.

    `offered` tells which of some ends the question offers to choose from: where any are reached,
    no other end counts.

    With `common`, one relation path from several topics means what they lead to in common, and
    what that leads to, where there is such; without, all, those first. `apart` says that each topic
    was searched from alone, so that the relevances of its paths are among themselves.
    """
    parties = parties_of(candidates)
    if not parties:
        return None
    banned = () if options.revisits == "walk" else linked
    junction = Junction(store, banned=banned, keep=options.max_chains)

    def met(among: Callable[[Sequence[Term]], Collection[Term]] | None) -> Ends | None:
        if len(linked) < 2:
            return None
        return meeting(junction, parties, linked, among, common=common, apart=apart)

    runs, won = list[tuple[Party, Execution]](), met(offered)
    if won is None:
        likely = [party for party in parties if party.votes >= _CHANCE * parties[0].votes]
        runs = [
            (p, execute(store, p.topics, p.relations, banned=banned, keep=options.max_chains))
            for p in likely
        ]
        reaching = [(party, run) for party, run in runs if run.reached] or runs
        chosen = _among(reaching, offered) if offered else reaching
        won = None if chosen else met(None)
        won = won or _most_voted(chosen or reaching, apart=apart)

    decoded = {c["answer"]["term"] for c in candidates}
    ranked = sorted(won.run.reached, key=lambda r: (-r.support, r.end not in decoded, r.end))
    support = max((r.support for r in ranked), default=1)
    shown = ranked[: options.max_answers]
    return Outcome(
        elected=tuple(
            Elected(r.end, r.paths, round(min(won.votes, 1.0) * r.support / support, 6))
            for r in shown
        ),
        confidence=round(min(won.relevance, 1.0), 6),
        left_out=len(ranked) - len(shown),
        truncated=won.run.truncated or any(run.truncated for _, run in runs),
        requests=junction.requests + sum(run.requests for _, run in runs),
    )


def _among(
    runs: Sequence[tuple[Party, Execution]], offered: Callable[[Sequence[Term]], Collection[Term]]
) -> Sequence[tuple[Party, Execution]]:
    """The runs with those of their ends that are offered; those that have any."""
    kept = offered(sorted({reached.end for _, run in runs for reached in run.reached}))
    left = [
        (party, replace(run, reached=tuple(own for own in run.reached if own.end in kept)))
        for party, run in runs
    ]
    return [(party, run) for party, run in left if run.reached]


def _most_voted(runs: Sequence[tuple[Party, Execution]], *, apart: bool) -> Ends:
    """What the parties that reach the same entities have the most votes for.

    How likely these are is the sum; where topics were searched `apart`, the most of any topic's.
    """
    members: dict[frozenset[Term], list[tuple[Party, Execution]]] = {}
    for party, result in runs:
        members.setdefault(frozenset(r.end for r in result.reached), []).append((party, result))
    votes = {ends: sum(party.votes for party, _ in own) for ends, own in members.items()}
    won = max(votes, key=votes.__getitem__)
    parties = [party for party, _ in members[won]]
    relevance = sum(party.relevance for party in parties)
    if apart:
        topics = {topic for party in parties for topic in party.relevances}
        relevance = max(sum(p.relevances.get(topic, 0.0) for p in parties) for topic in topics)
    return Ends(members[won][0][1], votes[won], relevance)
