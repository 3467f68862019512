"""cot: chain of thought, which is DoG without its constraint; cot-sc: with self-consistency.

The prompt is that of dog (section 3.3). Triples in the reply are read in whatever way they are
written, and become terms where a name is exactly that of something in the KG; triples that it does
not hold, and chains that do not hang together, are counted and not shown. An answer is proven by
the triples of its own chain.

cot-sc (Wang et al., 2023) draws `samples` replies and takes what more than half of them answer,
else what is answered most often.

Where there is neither a chat LLM nor a local model that follows instructions, a model that writes
reasoning paths writes them without constraint, and a note says so.
"""

from functools import partial

from ..method import VIEW, Method, never
from .search import search_thoughts

_USES = VIEW | {"beams", "shown", "embeddings", "seed"}
_METHOD = partial(
    Method,
    prompts="cot",
    reads=never,
    reasons=True,
    answers_from_facts=True,
    paper={"shown": 120},
)
COT = _METHOD(
    partial(search_thoughts, consistent=False),
    "chain of thought without a constraint (DoG's ablation)",
    uses=_USES,
)
COT_SC = _METHOD(
    partial(search_thoughts, consistent=True),
    "what most of several chains of thought answer (self-consistency)",
    uses=_USES | {"samples", "temperature"},
)
