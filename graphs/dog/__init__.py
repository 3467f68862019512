"""dog: decoding on graphs (Li et al., 2024).

The local model writes well-formed chains: triples of the graph, each of which touches a topic
entity or one before it (section 2.2), with free analysis between them and a conclusion. Beam search
is over triples (Algorithm 1). Where the paper leaves it open:

- The model opens a triple by writing its opening tag, and at the latest after `free` tokens of its
  own; it may end a chain at any time. `steps` triples are the most, the view's hops by default.
- A triple comes once in a chain. The triples are those of the whole graph, of which the prompt
  shows the `shown` nearest to the question, in words or by the model of `embeddings`.
- The best chain that concludes with an entity that its triples bring in gives the answers; what
  else conclusions name is listed apart as unsupported.
- A chain that is one walk from a topic entity to its only answer stands for its relation path,
  which is executed so that all that it reaches answers. With `complete=False`, as in the paper,
  only what the model wrote counts.
- A model that reads triples reads and writes them as stored, whatever the reading of the KG.
- A model that groundwalk trained to write chains writes no text between the triples and none after
  them: each triple goes on from where the one before it ended, the model answers with what the last
  one reaches, and its chains are ranked by how probable their relations are. That is not the
  paper's setting.
"""

from ..method import REASONING, VIEW, Method
from .prompt import is_trained
from .search import search_chains

DOG = Method(
    search_chains,
    "chains of triples decoded along the graph, with free analysis between them (DoG)",
    format="chain",
    prompts="dog",
    reads=is_trained,
    reasons=True,
    paper={"beams": 3, "complete": False, "every_topic": False, "visibility": "full", "shown": 120},
    uses=VIEW
    | REASONING
    | {"beams", "revisits", "scores", "shown", "visibility"}
    | {"steps", "free", "complete", "every_topic", "embeddings"},
)
