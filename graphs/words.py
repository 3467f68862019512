"""words: a bag of words chooses the relation path, as a baseline that keeps `plan` honest.

Naive Bayes over the words of the question, topic entities masked, ranks the relation paths of the
training questions; the best that the graph holds from the topic entities is executed as `plan`
executes its own. What `plan` gets right and this gets wrong took more than words.
"""

from ..agent.nodes import Node
from ..agent.nodes.known import known
from .method import REASONING, Method, Parts


def _words(parts: Parts) -> Node:
    return known(parts.kg, parts.baselines().rank_by_words)


WORDS = Method(
    _words,
    "baseline of plan: a bag of words chooses a relation path of the training questions",
    format="plan",
    common=True,
    threshold=lambda parts: parts.baselines().confidences.get("words", 0.0),
    uses=REASONING | {"revisits", "examples"},
)
