"""The vote: what the decoded paths say together, when no general LLM reasons over them.

A relation path's votes are its relevance, times the share of the probability that its topics have:
how many of its walks were found, and how likely the names along them are, says nothing of what was
asked. Where a model finds none relevant at all, since it was never trained for this, its paths vote
with their probability. The likely relation paths are executed on the store, so that a question with
fifty answers gets fifty, not as many as there are beams; those that reach the same entities stand
together (a city's country, and the country whose capital it is), and where two topics lead to
common entities in different ways, those are meant.
Deterministic: ties go to the shorter, then the smaller relation path.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from ..kg.execution import Execution, Reached, execute, execute_together
from ..kg.store import Store
from ..kg.terms import Path, RelationPath, Term
from ..options import Options
from ..state import Candidate
from .records import path_of, walked_relations

_SHARE = 0.2
"""A topic's share of the best one's votes, or of its relevance where two relation paths meet,
below which it does not count as a topic."""


_CHANCE = 0.05
"""A relation path's share of the best one's votes below which it is not executed."""


@dataclass(frozen=True)
class Elected:
    """An answer of the winning relation path."""

    end: Term
    paths: tuple[Path, ...]
    score: float


@dataclass(frozen=True)
class _Party:
    """The paths that walk one relation path."""

    relations: RelationPath
    topics: Sequence[Term]
    votes: float
    relevance: float


@dataclass(frozen=True)
class _Coalition:
    """Parties that reach the same entities; relation path and topics are those of the largest."""

    reached: tuple[Reached, ...]
    relations: RelationPath
    topics: frozenset[Term]
    votes: float
    relevance: float


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
    offered: Callable[[Sequence[Term]], Collection[Term]] | None = None,
) -> Outcome | None:
    """The outcome for the candidates, or None when there are none; `linked` are all topics.

    `offered` tells which of some ends the question offers to choose from: where any are reached,
    no other end counts.

    With `common`, one relation path from several topics means what they lead to in common, and
    what that leads to, where there is such; without, all, those first. A topic from which no other
    was found then counts among them, where that leads to common ends.
    """
    parties = _parties(candidates)
    if not parties:
        return None
    most = max(party.votes for party in parties)
    banned = () if options.revisits == "walk" else linked
    likely = [party for party in parties if party.votes >= _CHANCE * most]
    idle = [t for t in linked if common and not any(t in own.topics for own in likely)]
    walked = {(c["topic"]["term"], walked_relations(c)) for c in candidates}
    starts = {topic for topic, _ in walked}
    runs = list[tuple[_Party, Execution]]()
    for party in likely:
        joining = [t for t in idle if t not in starts or (t, party.relations) in walked]
        run = _run(store, party, joining, banned, options.max_chains, common=common)
        runs.append((party, run))
    requests = sum(result.requests for _, result in runs)
    truncated = any(result.truncated for _, result in runs)
    runs = [(own, result) for own, result in runs if result.reached] or runs
    coalitions = _coalitions(_among(runs, offered) if offered else runs)
    won = coalitions[0]
    partner = next((c for c in coalitions[1:] if _asks_for_both(won, c)), None)
    if partner:
        won = _joined(won, partner)

    decoded = {c["answer"]["term"] for c in candidates}
    ranked = sorted(won.reached, key=lambda r: (-r.support, r.end not in decoded, r.end))
    support = max((r.support for r in ranked), default=1)
    shown = ranked[: options.max_answers]
    return Outcome(
        elected=tuple(
            Elected(r.end, r.paths, round(min(won.votes, 1.0) * r.support / support, 6))
            for r in shown
        ),
        confidence=round(min(won.relevance, 1.0), 6),
        left_out=len(ranked) - len(shown),
        truncated=truncated,
        requests=requests,
    )


def _run(
    store: Store,
    party: _Party,
    idle: Sequence[Term],
    banned: Sequence[Term],
    keep: int,
    *,
    common: bool,
) -> Execution:
    """What a party reaches; with `common` what several topics have in common, if anything.

    `idle` are topics of no likely party: one joins it where all that it then reaches is common to
    them.
    """
    topics = list(party.topics)
    if not common:
        return execute(store, topics, party.relations, banned=banned, keep=keep)
    found = execute_together(store, topics, party.relations, banned=banned, keep=keep)
    for topic in idle:
        wider = [*topics, topic]
        run = execute_together(store, wider, party.relations, banned=banned, keep=keep)
        requests = found.requests + run.requests
        if _from_each(run, wider):
            topics, found = wider, run
        found = replace(found, requests=requests)
    return found


def _from_each(run: Execution, topics: Sequence[Term]) -> bool:
    """Whether every end is reached from every topic."""
    ends = [{path.topic for path in reached.paths} for reached in run.reached]
    return bool(ends) and all(len(own) == len(topics) for own in ends)


def _among(
    runs: Sequence[tuple[_Party, Execution]], offered: Callable[[Sequence[Term]], Collection[Term]]
) -> Sequence[tuple[_Party, Execution]]:
    """The runs with those of their ends that are offered; all as they are where none is."""
    kept = offered(sorted({reached.end for _, run in runs for reached in run.reached}))
    left = [
        (party, replace(run, reached=tuple(own for own in run.reached if own.end in kept)))
        for party, run in runs
    ]
    return [(party, run) for party, run in left if run.reached] or runs


def _coalitions(runs: Sequence[tuple[_Party, Execution]]) -> list[_Coalition]:
    """The parties that reach the same entities, together; the most voted first."""
    members: dict[frozenset[Term], list[tuple[_Party, Execution]]] = {}
    for party, result in runs:
        members.setdefault(frozenset(r.end for r in result.reached), []).append((party, result))
    coalitions = [
        _Coalition(
            reached=_reached(own),
            relations=own[0][0].relations,
            topics=frozenset(own[0][0].topics),
            votes=sum(party.votes for party, _ in own),
            relevance=sum(party.relevance for party, _ in own),
        )
        for own in members.values()
    ]
    return sorted(coalitions, key=lambda c: -c.votes)


def _asks_for_both(first: _Coalition, second: _Coalition) -> bool:
    """Whether two topics lead to common entities in different ways (`African`, `speaks French`)."""
    return (
        _counts(second, first)
        and not first.topics & second.topics
        and first.relations != second.relations
        and bool({r.end for r in first.reached} & {r.end for r in second.reached})
    )


def _counts(one: _Party | _Coalition, beside: _Party | _Coalition) -> bool:
    """Whether one is likely enough beside a likelier one."""
    return (one.relevance or one.votes) >= _SHARE * (beside.relevance or beside.votes)


def _joined(first: _Coalition, second: _Coalition) -> _Coalition:
    """The entities that both reach, with the paths of both."""
    other = {r.end: r for r in second.reached}
    common = [
        Reached(r.end, _of_each((*r.paths, *other[r.end].paths)), r.support + other[r.end].support)
        for r in first.reached
        if r.end in other
    ]
    return _Coalition(
        reached=tuple(common),
        relations=first.relations,
        topics=first.topics | second.topics,
        votes=first.votes + second.votes,
        relevance=first.relevance + second.relevance,
    )


def _reached(members: Sequence[tuple[_Party, Execution]]) -> tuple[Reached, ...]:
    """What the largest party reaches, with a path of each topic of the others that are likely."""
    (largest, run), *others = members
    reached = run.reached
    for party, result in others:
        if _counts(party, largest):
            beside = {own.end: own.paths for own in result.reached}
            reached = tuple(
                replace(own, paths=(*own.paths, *_of_others(own.paths, beside[own.end])))
                for own in reached
            )
    return reached


def _of_others(paths: Sequence[Path], beside: Sequence[Path]) -> tuple[Path, ...]:
    """A path of each topic that only `beside` has."""
    topics = {path.topic for path in paths}
    return tuple(path for path in _of_each(beside) if path.topic not in topics)


def _of_each(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The first path of each topic."""
    first = dict[Term, Path]()
    for path in paths:
        first.setdefault(path.topic, path)
    return tuple(first.values())


def _parties(candidates: Sequence[Candidate]) -> list[_Party]:
    """The candidates by relation path, the most voted first."""
    ballots: dict[RelationPath, list[tuple[Path, Candidate]]] = {}
    for decoded in candidates:
        path = path_of(decoded["topic"]["term"], decoded["steps"])
        ballots.setdefault(walked_relations(decoded), []).append((path, decoded))
    mass = _mass([ballot for own in ballots.values() for ballot in own])
    total = sum(mass.values())
    telling = any(decoded["relevance"] for decoded in candidates)
    parties = list[_Party]()
    for relations, own in ballots.items():
        share = sum(mass[topic] for topic in {path.topic for path, _ in own}) / total
        relevance = max(decoded["relevance"] for _, decoded in own)
        votes = share * relevance if telling else sum(_mass(own).values())
        parties.append(_Party(relations, _topics(own), round(votes, 6), relevance))
    return sorted(parties, key=lambda p: (-p.votes, len(p.relations), p.relations))


def _topics(ballots: Sequence[tuple[Path, Candidate]]) -> list[Term]:
    mass = _mass(ballots)
    best = max(mass.values())
    return sorted(topic for topic, share in mass.items() if share >= _SHARE * best)


def _mass(ballots: Sequence[tuple[Path, Candidate]]) -> dict[Term, float]:
    """The probability of the paths of each topic."""
    mass: dict[Term, float] = {}
    for path, decoded in ballots:
        mass[path.topic] = mass.get(path.topic, 0.0) + math.exp(decoded["score"])
    return mass
