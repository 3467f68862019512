"""words, lookup: relation paths of the training questions, as baselines that keep `plan` honest.

`words` is naive Bayes over the words of the question, topic entities masked: it ranks the relation
paths of the training questions. `lookup` has the relation path that the same template had most
often in training; for one that training never saw, that of the template with the most words in
common. The best that the graph holds from the topic entities is executed as `plan` executes its
own. What `plan` gets right and these get wrong took more than words.
"""

import math
from collections.abc import Callable, Iterator
from itertools import islice

from ..agent.answers.question import Outcome, Question
from ..agent.llm.baselines import Baselines, Guess
from ..agent.llm.prompt import mask
from ..agent.state import Candidate
from .ground import Ground, Parts
from .method import REASONING, Method
from .plan import plan_candidates

_MOST = 1_000
"""Relation paths that are tried."""
_NOWHERE = "no relation path of the training questions leads anywhere from the topic entities"

Rank = Callable[[Baselines, str], Iterator[Guess]]
"""The relation paths for a question with its topic entities masked, the likeliest first."""


def _search(rank: Rank, question: Question, ground: Ground) -> Outcome:
    """Candidates for the first relation path of `rank` that leaves a topic, within the view."""
    masked, _ = mask(question.text, question.mentions)
    candidates, requests = list[Candidate](), 0
    for relations, probability in islice(rank(ground.parts.baselines(), masked), _MOST):
        if not 0 < len(relations) <= question.hops or probability <= 0:
            continue
        if not question.inverse and any(inverse for _, inverse in relations):
            continue
        candidates, asked = plan_candidates(
            ground.kg,
            question.terms,
            relations,
            question.options,
            math.log(probability),
            probability,
        )
        requests += asked
        if candidates:
            break
    ground.emit({"event": "decoded", "paths": len(candidates)})
    notes = [] if candidates else [_NOWHERE]
    return Outcome(candidates, notes=notes, cost={"kg_requests": requests})


def _baseline(name: str, rank: Rank, about: str) -> Method:
    def search(question: Question, ground: Ground) -> Outcome:
        return _search(rank, question, ground)

    def threshold(parts: Parts) -> float:
        return parts.baselines().confidences.get(name, 0.0)

    return Method(
        search,
        f"baseline of plan: {about}",
        format="plan",
        common=True,
        threshold=threshold,
        uses=REASONING | {"revisits", "examples"},
    )


WORDS = _baseline(
    "words",
    lambda baselines, masked: baselines.rank_by_words(masked),
    "a bag of words chooses a relation path of the training questions",
)
LOOKUP = _baseline(
    "lookup",
    lambda baselines, masked: baselines.rank_by_template(masked),
    "the relation path of the most similar training question",
)
