"""The vote: what the decoded paths say together, when no general LLM reasons over them.

A relation path's votes are its relevance, times the share of the probability that its topics have:
how many of its walks were found, and how likely the names along them are, says nothing of what was
asked. Where a model finds none relevant at all, since it was never trained for this, its paths vote
with their probability. The likely relation paths are executed on the store, so that a question with
fifty answers gets fifty, not as many as there are beams; those that reach the same entities stand
together (a city's country, and the country whose capital it is). Where all topics of a question
meet, that is meant (`meeting`).
Deterministic: of relation paths with as many votes the shorter, then the smaller wins. Of answers
with as many walks those that were decoded come first, then by term (`_elected`).
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import heappop, heappush
from itertools import islice
from math import prod

from ..kg.store import Store
from ..kg.terms import Path, RelationPath, Term
from ..kg.walking.execution import Execution, Junction, execute
from ..options import Options
from ..records import Candidate
from .candidates import path_of, walked_relations

MOST_ANSWERS = 200
"""Answers that are elected at most, where the options do not say."""
SHARE = 0.2
"""A topic's share of the best one's votes below which it does not count as a topic."""


@dataclass(frozen=True)
class Party:
    """The paths that walk one relation path."""

    relations: RelationPath
    topics: Sequence[Term]
    """Those that it was found likely for."""
    relevances: Mapping[Term, float]
    """How likely its relations are meant, for each topic that it was found for."""
    relevance: float
    """The most of these."""
    votes: float
    is_weighed: bool
    """Whether the model tells of any path how relevant it is."""

    def relevance_from(self, topic: Term) -> float:
        """How likely its relations are meant from a topic; from one without any, as from others."""
        return self.relevances.get(topic, self.relevance)

    def weight_from(self, topic: Term) -> float:
        """The same; where the model cannot tell, how likely its paths are."""
        return self.relevance_from(topic) if self.is_weighed else self.votes


def parties_of(candidates: Sequence[Candidate]) -> list[Party]:
    """The candidates by relation path, the most voted first."""
    ballots: dict[RelationPath, list[tuple[Path, Candidate]]] = {}
    for decoded in candidates:
        path = path_of(decoded["topic"]["term"], decoded["steps"])
        ballots.setdefault(walked_relations(decoded), []).append((path, decoded))
    mass = _mass([ballot for ballots_of_path in ballots.values() for ballot in ballots_of_path])
    total = sum(mass.values()) or 1.0
    is_weighed = any(decoded["relevance"] for decoded in candidates)
    parties = list[Party]()
    for relations, cast in ballots.items():
        share = sum(mass[topic] for topic in {path.topic for path, _ in cast}) / total
        relevances = dict[Term, float]()
        for path, decoded in cast:
            most = max(decoded["relevance"], relevances.get(path.topic, 0.0))
            relevances[path.topic] = most
        relevance = max(relevances.values())
        votes = round(share * relevance if is_weighed else sum(_mass(cast).values()), 6)
        parties.append(Party(relations, _topics(cast), relevances, relevance, votes, is_weighed))
    return sorted(parties, key=lambda p: (-p.votes, len(p.relations), p.relations))


def _topics(ballots: Sequence[tuple[Path, Candidate]]) -> list[Term]:
    mass = _mass(ballots)
    best = max(mass.values())
    return sorted(topic for topic, share in mass.items() if share >= SHARE * best)


def _mass(ballots: Sequence[tuple[Path, Candidate]]) -> dict[Term, float]:
    """The probability of the paths of each topic."""
    mass: dict[Term, float] = {}
    for path, decoded in ballots:
        mass[path.topic] = mass.get(path.topic, 0.0) + math.exp(decoded["score"])
    return mass


_LEAST = 0.05
"""How likely a topic's likeliest relation path is beside that of another one, at least."""
_TRIES = 16

TopicPaths = Sequence[Party]
"""A relation path for each topic."""


_Run = tuple[Party, Execution]
"""A relation path with what it reaches from its topics."""
_Offered = Callable[[Sequence[Term]], Collection[Term]]
"""Which of some ends a question offers to choose from."""


@dataclass(frozen=True)
class Winner:
    """What the relation paths that won reach, their votes, and how likely they are meant."""

    run: Execution
    votes: float
    relevance: float


def meeting(
    junction: Junction,
    parties: Sequence[Party],
    linked: Sequence[Term],
    offered: Callable[[Sequence[Term]], Collection[Term]] | None,
    *,
    common: bool,
    topics_apart: bool,
) -> Winner | None:
    """The likeliest paths from several topics to the same entities; None where there are none.

    `common`, `topics_apart` and `offered` are those of the vote; an end that is not offered does
    not count. The paths are as likely as the least likely of them with `topics_apart`, else as all
    of them together.
    """
    if len(linked) < 2:
        return None
    for paths in islice(_topic_paths(parties, linked, common=common), _TRIES):
        run = junction.reached([(t, p.relations) for t, p in zip(linked, paths, strict=True)])
        choice = offered([reached.end for reached in run.reached]) if offered else None
        ends = tuple(end for end in run.reached if choice is None or end.end in choice)
        if ends:
            distinct = {party.relations: party for party in paths}.values()
            weights = [p.relevance_from(t) for t, p in zip(linked, paths, strict=True)]
            likely = min(weights) if topics_apart else sum(party.relevance for party in distinct)
            return Winner(
                replace(run, reached=ends), sum(party.votes for party in distinct), likely
            )
    return None


def _topic_paths(
    parties: Sequence[Party], linked: Sequence[Term], *, common: bool
) -> Iterator[TopicPaths]:
    """A relation path for each topic, the likeliest first.

    Only with `common` may all topics have the same one, and one without any have that of another.
    """
    searched = frozenset[Term]().union(*(party.relevances for party in parties))
    most = max(party.weight_from(topic) for party in parties for topic in party.relevances)
    options = [
        _likely_from(topic, parties, most, joins=common and topic not in searched)
        for topic in linked
    ]
    for paths in _by_likelihood(options, linked):
        if common or len({party.relations for party in paths}) > 1:
            yield paths


def _likely_from(
    topic: Term, parties: Sequence[Party], most: float, *, joins: bool
) -> Sequence[Party]:
    """The likely relation paths from a topic; those of others too where it `joins` them."""
    leaving = [party for party in parties if topic in party.relevances or joins]
    best = max((party.weight_from(topic) for party in leaving), default=0.0)
    least = max(SHARE * best, _LEAST * most)
    likely = [party for party in leaving if party.weight_from(topic) >= least]
    return sorted(likely, key=lambda party: -party.weight_from(topic))


def _by_likelihood(
    options: Sequence[Sequence[Party]], linked: Sequence[Term]
) -> Iterator[TopicPaths]:
    """One path of each topic, the likeliest choices first, without making them all."""

    def paths_at(choice: Sequence[int]) -> TopicPaths:
        return [parties[number] for parties, number in zip(options, choice, strict=True)]

    def cost(choice: Sequence[int]) -> float:
        return -prod(p.weight_from(t) for t, p in zip(linked, paths_at(choice), strict=True))

    first = tuple(0 for _ in options)
    waiting = [(cost(first), first)] if all(options) else []
    offered_choices = {first}
    while waiting:
        _, choice = heappop(waiting)
        yield paths_at(choice)
        for at, parties in enumerate(options):
            next_choice = (*choice[:at], choice[at] + 1, *choice[at + 1 :])
            if next_choice[at] < len(parties) and next_choice not in offered_choices:
                offered_choices.add(next_choice)
                heappush(waiting, (cost(next_choice), next_choice))


_CHANCE = 0.05
"""A relation path's share of the best one's votes below which it is not executed."""


@dataclass(frozen=True)
class Elected:
    """An answer of the winning relation path."""

    end: Term
    paths: tuple[Path, ...]
    score: float


@dataclass(frozen=True)
class Election:
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
    topics_apart: bool = False,
    offered: _Offered | None = None,
) -> Election | None:
    """What the candidates elect, or None when there are none; `linked` are all topics.

    `offered` tells which of some ends the question offers to choose from: where any are reached,
    no other end counts.

    One relation path may leave several topics. With `common` its answers are the ends that all
    topics reach, where there are any. Without `common` they are all ends, and those that all topics
    reach come first. With `topics_apart` each topic was searched from alone, so the relevances of
    its paths say nothing beside those of another topic.
    """
    parties = parties_of(candidates)
    if not parties:
        return None
    banned = () if options.revisits == "walk" else linked
    junction = Junction(store, banned=banned, keep=options.max_chains)
    meet = partial(meeting, junction, parties, linked, common=common, topics_apart=topics_apart)
    runs, winner = list[_Run](), meet(offered)
    if winner is None:
        runs = _executed(store, parties, banned, options.max_chains)
        winner = _winner(runs, meet, offered, topics_apart=topics_apart)
    decoded = frozenset(candidate["answer"]["term"] for candidate in candidates)
    executions = [run for _, run in runs]
    elected, left_out = _elected(winner, decoded, options.max_answers or MOST_ANSWERS)
    return Election(
        elected,
        confidence=round(min(winner.relevance, 1.0), 6),
        left_out=left_out,
        truncated=winner.run.truncated or any(run.truncated for run in executions),
        requests=junction.requests + sum(run.requests for run in executions),
    )


def _executed(
    store: Store, parties: Sequence[Party], banned: Sequence[Term], most_ends: int
) -> list[_Run]:
    """The relation paths that have some chance to win, executed from their topics."""
    likely = [party for party in parties if party.votes >= _CHANCE * parties[0].votes]
    return [
        (party, execute(store, party.topics, party.relations, banned=banned, keep=most_ends))
        for party in likely
    ]


def _winner(
    runs: Sequence[_Run],
    meeting_winner: Callable[[_Offered | None], Winner | None],
    offered: _Offered | None,
    *,
    topics_apart: bool,
) -> Winner:
    """What has the most votes; where no run reaches what is offered, first where topics meet."""
    reaching = [(party, run) for party, run in runs if run.reached] or runs
    eligible = _offered_only(reaching, offered)
    meeting_topics = None if eligible else meeting_winner(None)
    return meeting_topics or _most_voted(eligible or reaching, topics_apart=topics_apart)


def _elected(
    winner: Winner, decoded: Collection[Term], most: int
) -> tuple[tuple[Elected, ...], int]:
    """The ends that win, those with most walks first, and how many more there are than `most`."""
    ranked = sorted(winner.run.reached, key=lambda r: (-r.support, r.end not in decoded, r.end))
    support = max((reached.support for reached in ranked), default=1)
    shown = tuple(
        Elected(r.end, r.paths, round(min(winner.votes, 1.0) * r.support / support, 6))
        for r in ranked[:most]
    )
    return shown, len(ranked) - len(shown)


def _offered_only(runs: Sequence[_Run], offered: _Offered | None) -> Sequence[_Run]:
    """The runs with those of their ends that are offered; those that have any."""
    if offered is None:
        return runs
    choice = offered(sorted({reached.end for _, run in runs for reached in run.reached}))
    narrowed = [
        (party, replace(run, reached=tuple(end for end in run.reached if end.end in choice)))
        for party, run in runs
    ]
    return [(party, run) for party, run in narrowed if run.reached]


def _most_voted(runs: Sequence[_Run], *, topics_apart: bool) -> Winner:
    """What the parties that reach the same entities have the most votes for.

    How likely these are is the sum; with `topics_apart` the most of any topic's.
    """
    members: dict[frozenset[Term], list[_Run]] = {}
    for party, result in runs:
        members.setdefault(frozenset(r.end for r in result.reached), []).append((party, result))
    votes = {ends: sum(party.votes for party, _ in alike) for ends, alike in members.items()}
    winning_ends = max(votes, key=votes.__getitem__)
    parties = [party for party, _ in members[winning_ends]]
    relevance = sum(party.relevance for party in parties)
    if topics_apart:
        topics = {topic for party in parties for topic in party.relevances}
        relevance = max(sum(p.relevances.get(topic, 0.0) for p in parties) for topic in topics)
    return Winner(members[winning_ends][0][1], votes[winning_ends], relevance)
