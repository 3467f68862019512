"""direct: the triples around the question in the prompt, and the answers at once.

DoG's direct answering (section 3.3). Answers are matched with the entities of the triples that were
shown; each comes with the shortest walk to it among them. What else the reply names is listed apart
as unsupported. Where there is neither a chat LLM nor a local model that follows instructions, a
model that writes paths weighs the walks along what is shown, and a note says so.
"""

from ..agent.nodes import Node
from ..agent.nodes.direct import direct
from .method import VIEW, Method, Parts, never


def _direct(parts: Parts) -> Node:
    return direct(parts.kg, parts.generator, parts.llm, parts.prompts)


DIRECT = Method(
    _direct,
    "answers at once from the triples around the question (DoG's direct answering)",
    prompts="direct",
    reads=never,
    reasons=True,
    paper={"shown": 120},
    uses=VIEW | {"revisits", "shown", "embeddings"},
)
