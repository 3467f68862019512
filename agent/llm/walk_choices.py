"""Where a walk goes next, and whether it stops, by the likelihoods of a local model.

A model that knows the tags of reasoning paths is asked in its own wire format: how likely ` -> r2`
is after `<PATH>e0 -> r1 -> e1`, and how likely `</PATH>`. Any other model reads the options in a
prompt, and the likelihood of each option's text counts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from ...prompts import render
from ..decoding.plan import Cost
from ..decoding.units import Tokens, UnitStyle, tokenize, unit_style, unit_tokens, wire_tokens
from ..decoding.wire import PATH, SEPARATOR
from ..errors import ConstraintError
from .likelihood import Alternatives, Likelihoods, line_tokens, prompt_tokens, shares
from .local import LocalModel
from .prompt import Mention, wire_prompt


class Crossing(NamedTuple):
    """A walk as escaped names, a topic's first, and those that may come next: no two alike.

    After an entity come relations, after a relation entities.
    """

    walk: Sequence[str]
    options: Sequence[str]


class Weight(NamedTuple):
    """How likely an option is: `share` among the options, `relevance` among all that there is."""

    share: float
    relevance: float


class WalkChoices(Protocol):
    """A local model that is asked about one question."""

    @property
    def cost(self) -> Cost:
        """What it took so far."""
        ...

    def next(self, crossings: Sequence[Crossing]) -> list[list[Weight]]:
        """The weight of each option of each crossing."""
        ...

    def stops(self, walks: Sequence[Sequence[str]]) -> list[Weight]:
        """How likely each walk, which ends in an entity, stops there and does not go on."""
        ...


def walk_choices(
    local: LocalModel, question: str, mentions: Sequence[Mention], prompts: Path | None = None
) -> WalkChoices:
    """The way of asking that fits the model: its own wire format, or listed options.

    Both raise ConstraintError where the model cannot hold prompt and walk.
    """
    try:
        tags = wire_tokens(local.tokenizer, PATH)
    except ConstraintError:
        return ListedChoices(local, question, prompts)
    tokens, shared = wire_prompt(local, question, mentions, PATH, prompts)
    style = unit_style(local.tokenizer, [])
    return WireChoices(local, Likelihoods(local.model, [tokens], shared), tags, style)


@dataclass
class WireChoices:
    """Implements `WalkChoices` for a model that was trained to write reasoning paths.

    Relevance is that of `Hypothesis`: the probability that there is a path, of its relations and
    of going on or stopping. Entities count for nothing in it.
    """

    local: LocalModel
    likelihoods: Likelihoods
    tags: tuple[int, int]
    style: UnitStyle

    @property
    def cost(self) -> Cost:
        """What it took so far."""
        return self.likelihoods.cost

    def next(self, crossings: Sequence[Crossing]) -> list[list[Weight]]:
        """The weight of each option of each crossing, in one forward pass."""
        asked = list[Alternatives]()
        for walk, options in crossings:
            to_relation = len(walk) % 2 == 1
            after, arrow = self._tokens(walk), self.style.arrow
            units = unit_tokens(self.local.tokenizer, self.style, options)
            ends = arrow if to_relation else ()
            asked.append(Alternatives([unit + ends for unit in units], after + arrow))
            before = () if len(walk) == 1 else after
            asked.append(Alternatives([(self.tags[0],) if len(walk) == 1 else arrow[:1]], before))
        values = self.likelihoods.logprobs(asked)
        weights = list[list[Weight]]()
        for (walk, _), logprobs, (begun,) in zip(crossings, values[::2], values[1::2], strict=True):
            counts = len(walk) % 2 == 1
            relevance = [math.exp(begun + value) if counts else 1.0 for value in logprobs]
            weights.append(
                [Weight(*pair) for pair in zip(shares(logprobs), relevance, strict=True)]
            )
        return weights

    def stops(self, walks: Sequence[Sequence[str]]) -> list[Weight]:
        """How likely the closing tag is, against going on."""
        ends: list[Tokens] = [(self.tags[1],), self.style.arrow[:1]]
        values = self.likelihoods.logprobs([Alternatives(ends, self._tokens(w)) for w in walks])
        return [Weight(shares(pair)[0], math.exp(pair[0])) for pair in values]

    def _tokens(self, walk: Sequence[str]) -> Tokens:
        tokenizer, lead, arrow = self.local.tokenizer, self.style.lead, self.style.arrow
        first, *others = tokenize(tokenizer, [walk[0], *(lead + name for name in walk[1:])])
        return (self.tags[0], *first, *(token for unit in others for token in arrow + unit))


@dataclass
class ListedChoices:
    """Implements `WalkChoices` for any causal model: it reads the options before it chooses."""

    local: LocalModel
    question: str
    prompts: Path | None
    spent: Cost = Cost()

    @property
    def cost(self) -> Cost:
        """What it took so far."""
        return self.spent

    def next(self, crossings: Sequence[Crossing]) -> list[list[Weight]]:
        """The weight of each option of each crossing, in one forward pass."""
        return self._choose(
            [("tog/likely_next.jinja", walk, options) for walk, options in crossings]
        )

    def stops(self, walks: Sequence[Sequence[str]]) -> list[Weight]:
        """How likely `yes` is when it is asked whether the walk has reached the answer."""
        asked = [("tog/likely_stop.jinja", walk, ("yes", "no")) for walk in walks]
        return [yes for yes, _ in self._choose(asked)]

    def _choose(
        self, asked: Sequence[tuple[str, Sequence[str], Sequence[str]]]
    ) -> list[list[Weight]]:
        asked_of = [i for i, (_, _, options) in enumerate(asked) if options]
        if not asked_of:
            return [[] for _ in asked]
        texts = [self._prompt(*asked[i]) for i in asked_of]
        tokenizer = self.local.tokenizer
        likelihoods = Likelihoods(
            self.local.model, [prompt_tokens(tokenizer, text) for text in texts]
        )
        values = likelihoods.logprobs(
            [
                Alternatives(line_tokens(tokenizer, asked[i][2]), row=row)
                for row, i in enumerate(asked_of)
            ]
        )
        self.spent += likelihoods.cost
        weights = dict(zip(asked_of, map(shares, values), strict=True))
        return [[Weight(s, s) for s in weights.get(i, [])] for i in range(len(asked))]

    def _prompt(self, template: str, walk: Sequence[str], options: Sequence[str]) -> str:
        return render(
            template,
            self.prompts,
            question=self.question,
            walk=SEPARATOR.join(walk),
            relation=len(walk) % 2 == 1,
            options=options,
        )
