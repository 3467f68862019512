"""DoG's search for chains of triples, with free text between them (Algorithm 1, section 2.4).

What the paper leaves open is settled here. A chain opens a triple where the model writes the
opening tag, and at the latest after `free` tokens of its own; it ends where the model writes one of
`ends`, where no triple may follow, or after `steps` triples, and then it gets its conclusion. Its
score is the sum of the log-probabilities of its triples (equation 3); free text does not count.
Chains that have ended stay among the best K and compete with the others. Opening and closing tags
are whole tokens, so nothing that stands around them can merge with them.

A chain's relevance is the probability, under the model without any constraint, of what it commits
to: that there is a triple, its relation, and so on to the last; and where there is no free text,
that the chain ends there. How a text ends tells nothing of its chain.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..errors import ConstraintError, NoPathError
from ..kg.terms import Step
from .beams import Beam
from .chains import ChainState, ChainTriples
from .model import CausalModel
from .plan import BeamPlan, Cost, Scores
from .session import Searched, Session, Start, WritingPlan, write
from .tree import ROOT

Prompt = Callable[[ChainTriples], Sequence[int]]
"""The tokens of a prompt that shows what a chain so far may go on with (local visibility)."""


@dataclass(frozen=True)
class ChainQuestion:
    """What a search is about.

    A prompt of tokens is the same at every step (full visibility of the graph, section 2.2); one
    that is a function is made anew for each chain and step (local visibility, section 5.2), so that
    nothing computed before can be used again.
    """

    prompt: Sequence[int] | Prompt
    constraint: ChainTriples
    shared: int = 0
    """As in `Question`."""


@dataclass(frozen=True)
class ChainPlan:
    """How to search."""

    ends: frozenset[int]
    """Tokens that end a chain: the end of the text, or what introduces the conclusion."""
    beams: int = 3
    steps: int = 4
    """Triples at most (T)."""
    scores: Scores = "allowed"
    free: int = 64
    """Tokens of free text at most, each time; with 0 the model only chooses where chains end."""
    banned: frozenset[int] = frozenset()
    """Tokens that free text may not hold, such as other formats' tags."""

    def __post_init__(self) -> None:
        if self.beams < 1 or self.steps < 1 or self.free < 0:
            raise ConstraintError("a chain search needs a beam and a step at least")


@dataclass(frozen=True)
class ChainHypothesis:
    """A chain: its triples as they are walked, all its tokens after the prompt, and its score.

    `words` are where the triples stand among the tokens, from the opening tag to behind the closing
    one; what follows the last is the conclusion. `ended` tells whether the model ended the chain.
    """

    steps: tuple[Step, ...]
    tokens: tuple[int, ...]
    words: tuple[tuple[int, int], ...]
    score: float
    relevance: float
    ended: bool

    @property
    def conclusion(self) -> tuple[int, ...]:
        """The tokens after the last triple."""
        return self.tokens[self.words[-1][1] if self.words else 0 :]


@dataclass(frozen=True)
class ChainSearchResult:
    """The chains of one question, best first, and what they cost."""

    chains: list[ChainHypothesis]
    cost: Cost


@dataclass(frozen=True)
class _Chain:
    """A chain so far; `row` and `node` are where it stands in the session's trees.

    `latest` is the search that found its last triple, until its relevance counts that too.
    """

    question: int
    constraint: ChainTriples
    row: int
    node: int = ROOT
    steps: tuple[Step, ...] = ()
    tokens: tuple[int, ...] = ()
    words: tuple[tuple[int, int], ...] = ()
    score: float = 0.0
    relevance: float = 1.0
    latest: Searched[ChainState] | None = None
    ended: bool = False
    """Whether the model ended the chain."""
    stuck: bool = False
    """Whether no triple may follow."""

    @property
    def grows(self) -> bool:
        """Whether another triple may come."""
        return not (self.ended or self.stuck)

    @property
    def rank(self) -> tuple[float, tuple[int, ...]]:
        """The best chains come first; ties go to the smaller tokens."""
        return (-round(self.score, 6), self.tokens)


def chain_search(
    model: CausalModel, questions: Sequence[ChainQuestion], plan: ChainPlan
) -> list[ChainSearchResult]:
    """For each question its K best chains.

    Raises ConstraintError where the model cannot hold prompt and chain, and where some questions
    have local visibility and others have not.
    """
    if not questions:
        return []
    if any(callable(q.prompt) != callable(questions[0].prompt) for q in questions):
        raise ConstraintError("some prompts show the whole graph, others a part of it")
    search = _ChainSearch(model, questions, plan)
    chains = [_Chain(i, question.constraint, i) for i, question in enumerate(questions)]
    for _ in range(plan.steps):
        growing = search.placed([chain for chain in chains if chain.grows])
        if not growing:
            break
        written = search.written(growing, opening=True)
        rivals = [chain for chain in chains if not chain.grows]
        rivals += [chain for chain in written if chain.ended]
        rivals += search.lengthened([chain for chain in written if not chain.ended])
        chains = search.weighed(search.best(rivals))
    return search.results(chains)


class _ChainSearch:
    """The steps of the search, and the session in which chains grow.

    There is one session for all steps; with local visibility one for each.
    """

    def __init__(
        self, model: CausalModel, questions: Sequence[ChainQuestion], plan: ChainPlan
    ) -> None:
        self._model = model
        self._questions = questions
        self._plan = plan
        self._shared = min(question.shared for question in questions)
        self._spent = [Cost() for _ in questions]
        """What earlier sessions took for each question."""
        self._owners = list(range(len(questions)))
        """The question of each row of the session."""
        prompts = [q.prompt(q.constraint) if callable(q.prompt) else q.prompt for q in questions]
        self._session = Session(model, prompts, self._shared)

    def placed(self, chains: Sequence[_Chain]) -> list[_Chain]:
        """The chains where the session goes on with them."""
        prompts = [self._questions[chain.question].prompt for chain in chains]
        prompt_tokens = [
            [*prompt(chain.constraint), *chain.tokens]
            for prompt, chain in zip(prompts, chains, strict=True)
            if callable(prompt)
        ]
        if not prompt_tokens:
            return list(chains)
        self._spent = self._costs()
        self._session = Session(self._model, prompt_tokens, self._shared)
        self._owners = [chain.question for chain in chains]
        return [replace(chain, row=row, node=ROOT) for row, chain in enumerate(chains)]

    def written(self, chains: Sequence[_Chain], *, opening: bool) -> list[_Chain]:
        """The chains with free text: up to the next triple, or without `opening` the conclusion."""
        plan = self._plan
        tags = frozenset(tag for c in chains for tag in c.constraint.allowed(c.constraint.start()))
        writing = WritingPlan(
            stops=plan.ends | tags if opening else plan.ends,
            limit=plan.free,
            banned=plan.banned if opening else plan.banned | tags,
        )
        texts = write(self._session, [(chain.row, chain.node) for chain in chains], writing)
        chains_with_text = [
            replace(
                chain,
                node=text.node,
                tokens=(*chain.tokens, *text.tokens),
                ended=text.stop in plan.ends,
            )
            for chain, text in zip(chains, texts, strict=True)
        ]
        if plan.free or not plan.ends:
            return chains_with_text
        ending = self._ending([chain for chain in chains_with_text if chain.ended or not opening])
        return [
            replace(chain, relevance=chain.relevance * ending.get((chain.row, chain.node), 1.0))
            for chain in chains_with_text
        ]

    def _ending(self, chains: Sequence[_Chain]) -> dict[tuple[int, int], float]:
        """The probability that the model ends each chain where it stands, by row and node."""
        if not chains:
            return {}
        nodes = [(chain.row, chain.node) for chain in chains]
        ends = [sorted(self._plan.ends)] * len(nodes)
        logprobs = self._session.forward.logprobs(nodes, ends, full=True)
        sums = [math.fsum(map(math.exp, values)) for values in logprobs]
        return dict(zip(nodes, sums, strict=True))

    def lengthened(self, chains: Sequence[_Chain]) -> list[_Chain]:
        """Each chain with each of its K best next triples (lines 6 to 13)."""
        starts = [Start(chain.row, chain.node, chain.constraint) for chain in chains]
        plan = BeamPlan(self._plan.beams, self._plan.scores)
        return [
            _longer(chain, searched, beam)
            for chain, searched in zip(chains, self._session.search(starts, plan), strict=True)
            for beam in searched.best
        ]

    def best(self, chains: Sequence[_Chain]) -> list[_Chain]:
        """The K best chains of each question, in the order of questions."""
        return [
            chain
            for i in range(len(self._questions))
            for chain in sorted((c for c in chains if c.question == i), key=lambda c: c.rank)[
                : self._plan.beams
            ]
        ]

    def weighed(self, chains: Sequence[_Chain]) -> list[_Chain]:
        """The chains with the relevance of their last triples."""
        latest = [chain.latest for chain in chains if chain.latest]
        hypotheses = iter(one for (one,) in self._session.hypotheses(latest))
        return [
            replace(chain, relevance=chain.relevance * next(hypotheses).relevance, latest=None)
            if chain.latest
            else chain
            for chain in chains
        ]

    def results(self, chains: Sequence[_Chain]) -> list[ChainSearchResult]:
        """The chains of each question, with conclusions for those that the model did not end."""
        placed = self.placed([chain for chain in chains if not chain.ended])
        concluded = iter(self.written(placed, opening=False))
        results = [ChainSearchResult([], cost) for cost in self._costs()]
        for chain in chains:
            last = chain if chain.ended else next(concluded)
            results[chain.question].chains.append(
                ChainHypothesis(
                    last.steps, last.tokens, last.words, last.score, last.relevance, chain.ended
                )
            )
        return results

    def _costs(self) -> list[Cost]:
        """What each question has taken until now."""
        costs = list(self._spent)
        for question in set(self._owners):
            rows = [row for row, owner in enumerate(self._owners) if owner == question]
            costs[question] += self._session.cost_of(rows)
        return costs


def _longer(chain: _Chain, searched: Searched[ChainState], beam: Beam[ChainState]) -> _Chain:
    """A chain with one more triple."""
    step = chain.constraint.step(beam.state)
    try:
        constraint, stuck = chain.constraint.after(step.triple, inverse=step.inverse), False
    except NoPathError:
        constraint, stuck = chain.constraint, True
    tokens = (*chain.tokens, *beam.tokens)
    return replace(
        chain,
        constraint=constraint,
        node=beam.node,
        steps=(*chain.steps, step),
        tokens=tokens,
        words=(*chain.words, (len(chain.tokens), len(tokens))),
        score=chain.score + beam.score,
        latest=replace(searched, best=[beam]),
        stuck=stuck,
    )
