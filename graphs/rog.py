"""rog: reasoning on graphs (Luo et al., ICLR 2024).

The local model plans relation paths (section 4.2, beam 3), the reasoning paths that follow them
are retrieved (Algorithm 1), and a general LLM, or the named vote, reasons over them (section 4.3).
Its ablations (section 5.3) are options: `planning=none`, `planning=random`, `reasoning=vote` and
`reasoning=ends`; `plans` replays another planner's relation paths, `explain` asks for reasons.
"""

from ..agent.nodes import Node
from ..agent.nodes.rog import check_plans, rog
from ..agent.options import Options
from .method import REASONING, Method, Parts


def _rog(parts: Parts) -> Node:
    return rog(parts.kg, parts.generator, parts.prompts, beams=3)


def _is_foreign(options: Options) -> bool:
    return bool(options.plans) or options.planning != "model"


ROG = Method(
    _rog,
    "relation paths planned freely, retrieved, then reasoned over (RoG)",
    paper={"beams": 3, "directed": False, "revisits": "walk"},
    format="plan",
    prompts="rog",
    foreign=_is_foreign,
    widens=False,
    check=check_plans,
    uses=REASONING
    | {"beams", "revisits", "examples", "planning", "plans", "directed", "explain", "seed"},
)
