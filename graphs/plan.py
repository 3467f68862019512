"""plan: relation paths decoded under the constraint that they exist, then executed in full.

Our own variant of RoG's planning (section 4.2): where RoG finds out afterwards whether a planned
relation path can be followed, the constraint lets only such be written. The likely ones are
executed on the store, all entities that they reach are answers, ranked by how many walks lead
there; where several topic entities lead to common ones, those are meant.
"""

from ..agent.decoding.wire import PLAN as WIRE
from ..agent.nodes import Node
from ..agent.nodes.ground import ground
from ..agent.nodes.plan import plan
from .method import REASONING, VIEW, Method, Parts


def _plan(parts: Parts) -> Node:
    opened = ground(parts.kg, parts.generator, WIRE)
    return plan(parts.kg, parts.generator, opened, parts.prompts, beams=5)


PLAN = Method(
    _plan,
    "relation paths that exist, executed to get all answers",
    format="plan",
    common=True,
    uses=VIEW | REASONING | {"beams", "revisits", "scores", "examples"},
)
