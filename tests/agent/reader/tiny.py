"""A tiny reader with random weights, and a small graph to read questions over."""

from pathlib import Path

import torch
from groundwalk.agent.kg import KnowledgeGraph, open_kg
from groundwalk.agent.reader.inputs import KIND_NUMBERS, Size
from groundwalk.agent.reader.lexicon import Lexicon
from groundwalk.agent.reader.weights import ReaderSettings, ReaderWeights
from groundwalk.training.reader.module import ReaderModule

SIZE = Size(width=16, table=8, layers=1, heads=2, meanings=3, meaning=4)
LEXICON = Lexicon(
    {("directed", "by"): (("director",),)},
    {"film": frozenset({"movie"}), "movie": frozenset({"film"})},
    {"film": 1, "movie": 2, "person": 3},
)
TURTLE = """
@prefix : <https://films.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Film rdfs:label "film" . :Person rdfs:label "person" .
:ada a :Person ; rdfs:label "Ada Lind" . :bo a :Person ; rdfs:label "Bo Ek" .
:rain a :Film ; rdfs:label "Rain" ; :directedBy :ada ; :lengthInMinutes 90 .
:snow a :Film ; rdfs:label "Snow" ; :directedBy :bo ; :lengthInMinutes 120 .
"""


def tiny_reader(seed: int = 0, threshold: float = 0.0) -> ReaderWeights:
    """A reader that knows nothing."""
    torch.manual_seed(seed)
    network = ReaderModule(SIZE).network()
    network.weights["kinds.bias"][KIND_NUMBERS["end"]] += 6.0  # short queries
    return ReaderWeights(network, LEXICON, ReaderSettings(SIZE, threshold))


def film_graph(folder: Path) -> KnowledgeGraph:
    """Two films with their directors."""
    file = folder / "films.ttl"
    file.write_text(TURTLE, encoding="utf-8")
    return open_kg(str(file))
