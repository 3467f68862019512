"""Questions over other graphs, in the words of people, among those of a graph that is tuned to.

The graph's own questions are made of its labels. By these others a reader keeps what it knows of
words that labels do not have, and of which words ask nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ...agent.errors import GroundwalkError
from ..languages import domain_files
from ..watch import Watcher, counted
from .examples import Example
from .lessons import WORDED, examples_over, made_graph
from .sources import SchemaLabels
from .worded import read_domain

DOMAINS, OF_EACH = 40, 100


class Replay(NamedTuple):
    """Examples over graphs that are made up, and the schemas of these."""

    examples: Sequence[Example] = ()
    schemas: Mapping[str, SchemaLabels] = {}


def replay_of(seed: int, watcher: Watcher) -> Replay:
    """Questions over graphs in some domains, drawn by seed."""
    rng = Random(f"replay {seed}")
    files = domain_files()
    drawn = rng.sample(files, min(len(files), DOMAINS))
    examples, schemas = list[Example](), dict[str, SchemaLabels]()
    for file in counted(drawn, len(drawn), "making questions over other graphs", watcher):
        name = f"{WORDED}:{file.stem}"
        with TemporaryDirectory() as folder:
            try:
                graph = made_graph(read_domain(file), Path(folder), rng.getrandbits(32))
            except GroundwalkError:
                continue
            with closing(graph.kg):
                asked = examples_over(graph.kg, graph.material, name, seed)
                examples += islice(asked, OF_EACH)
                schemas[name] = graph.schema
    return Replay(examples, schemas)


def mixed(
    examples: Iterator[Example], others: Sequence[Example], share: float, seed: int
) -> Iterator[Example]:
    """Examples, among them a share of others, drawn anew each time."""
    rng = Random(f"mixed {seed}")
    while True:
        yield rng.choice(others) if others and rng.random() < share else next(examples)
