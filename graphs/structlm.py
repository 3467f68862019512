"""structlm: the triples around the question as the StructLM checkpoints read them (Zhuang et al.).

For their checkpoints as the local model, such as `--model TIGER-Lab/StructLM-7B`. Answers are
matched as those of direct. A model that only writes reasoning paths weighs walks instead, and a
note says so.
"""

from ..agent.nodes import Node
from ..agent.nodes.structlm import structlm
from .method import VIEW, Method, Parts, never


def _structlm(parts: Parts) -> Node:
    return structlm(parts.kg, parts.generator, parts.prompts)


STRUCTLM = Method(
    _structlm,
    "the triples around the question as the StructLM checkpoints read them",
    prompts="structlm",
    reads=never,
    reasons=True,
    paper={"shown": 120},
    uses=VIEW | {"revisits", "shown", "embeddings"},
)
