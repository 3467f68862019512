"""lookup: the relation path of the same question in training, as a baseline for `plan`.

The same template, topic entities masked, has the relation path that it had most often; one that
training never saw that of the template with the most words in common. The best that the graph holds
from the topic entities is executed as `plan` executes its own.
"""

from ..agent.nodes import Node
from ..agent.nodes.known import known
from .method import REASONING, Method, Parts


def _lookup(parts: Parts) -> Node:
    return known(parts.kg, parts.baselines().rank_by_template)


LOOKUP = Method(
    _lookup,
    "baseline of plan: the relation path of the most similar training question",
    format="plan",
    common=True,
    threshold=lambda parts: parts.baselines().confidences.get("lookup", 0.0),
    uses=REASONING | {"revisits", "examples"},
)
