"""gcr: graph-constrained reasoning (Luo et al., ICML 2025).

The local model writes K reasoning paths along the graph by beam search (section 4.2); a general
LLM, or a vote where there is none, reasons over them (section 4.3).
"""

from ..agent.decoding.wire import PATH
from ..agent.nodes import Node
from ..agent.nodes.decode import decode
from ..agent.nodes.ground import ground
from .method import REASONING, VIEW, Method, Parts


def _gcr(parts: Parts) -> Node:
    opened = ground(parts.kg, parts.generator, PATH)
    return decode(parts.kg, parts.generator, opened, parts.prompts)


GCR = Method(
    _gcr,
    "reasoning paths decoded along the graph, then reasoned over (GCR)",
    common=True,
    paper={
        "beams": 10,
        "groups": None,
        "diversity": 1.0,
        "scores": "full",
        "hypothesis": "free",
        "hops": 2,
        "inverse": False,
        "revisits": "walk",
        "every_topic": False,
    },
    uses=VIEW
    | REASONING
    | {"beams", "revisits", "scores", "hypothesis", "examples", "groups", "diversity"}
    | {"every_topic"},
)
