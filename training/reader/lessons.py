"""What the bundled reader learns from: real questions of many schemas, and made ones over more."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ...agent.errors import GroundwalkError
from ...agent.kg import KnowledgeGraph, open_kg
from ...agent.query.account import names_of
from ..data import Material, gather
from ..languages import domain_files
from ..query_encode import asked_of
from ..recipe import Recipe
from .composed import COMPOSED, composed
from .examples import Example, examples_of, made_example
from .made import domains, fewer, write_graph
from .sources import (
    SOURCES,
    SchemaLabels,
    digest,
    freebase_hops,
    read_schemas,
    read_source,
    schema_org,
    tuning_databases,
    wikidata_parts,
)
from .worded import Domain, read_domain, write_domain

MADE_GRAPH = "made.ttl"
MADE, WORDED = "made", "worded"
"""The names of questions that are made: in the words of labels, and in those of people."""
_WEIGHTS = {MADE: 0.8, WORDED: 2.0, COMPOSED: 1.5}
_COMPOSED = 80_000
"""Questions that are composed of simpler ones."""
_VARIANTS = 8
"""Graphs over each domain, each with labels of its own."""
_APART = 12
"""Of so many domains one is kept apart."""
_WATCHED = 60
"""Questions over each domain that is kept apart."""
_RELATIONS = 60
"""Relations of a graph that is made."""
_NO_DOMAIN = (
    *("common.", "type.", "freebase.", "dataworld.", "measurement_unit."),
    *("base.", "user.", "m."),
)
"""Domains of Freebase that are about Freebase itself, or by one user."""
_WHOLE = ("freebase", "wikidata")
"""Schemas that are too large for one graph."""


@dataclass(frozen=True)
class Provenance:
    """A source by its public name, its licence, the SHA-256 of its file and what was taken."""

    name: str
    public_name: str
    licence: str
    digest: str
    questions: int


@dataclass(frozen=True)
class Lessons:
    """Examples by source, how often each is drawn for its size, and all schemas by name.

    Nothing is learnt of the domains that are kept `apart`: thresholds are fitted on those, and by
    the questions `watched` over them it is seen how the training goes.
    """

    examples: Mapping[str, Sequence[Example]]
    weights: Mapping[str, float]
    schemas: Mapping[str, SchemaLabels]
    apart: Sequence[Domain]
    watched: Sequence[Example]
    provenance: Sequence[Provenance]


def lessons(
    data: Path,
    *,
    made: int,
    twins: bool,
    without: frozenset[str],
    seed: int,
    told: Callable[[str], None],
    workers: int = 1,
) -> Lessons:
    """All lessons; `made` questions over each graph that is made, in so many processes.

    Wordings that test questions have come with `twins`; sources in `without` are left out. Raises
    OSError where a file of `data` is missing.
    """
    examples, weights = dict[str, Sequence[Example]](), dict[str, float]()
    provenance = list[Provenance]()
    unseen = frozenset[str]().union(*(own.kept_apart for own in SOURCES)) | tuning_databases(data)
    for source in SOURCES:
        if source.name in without or (source.is_twin and not twins):
            continue
        told(f"reading {source.name}")
        file = data / "questions" / f"{source.name}.jsonl.gz"
        questions = (
            own
            for own in read_source(file)
            if own.schema not in unseen and (not source.splits or own.split in source.splits)
        )
        examples[source.name] = examples_of(questions)
        weights[source.name] = source.weight
        count = len(examples[source.name])
        provenance.append(
            Provenance(source.name, source.public_name, source.licence, digest(file), count)
        )
    schemas = read_schemas(data)
    every = [own for several in examples.values() for own in several]
    several: dict[str, list[Example]] = {MADE: [], WORDED: [], COMPOSED: []}
    if COMPOSED not in without:
        several[COMPOSED] = composed(every, schemas, _COMPOSED, seed)
    graphs = [
        _ToAsk(name, own, made, seed)
        for name, own in _schemas_to_ask(data, schemas).items()
        if name.partition(":")[2] not in unseen
    ]
    domains_of_people = [read_domain(file) for file in domain_files()]
    apart = [own for own in domains_of_people if _number(own.name) % _APART == 0]
    graphs += [
        _ToAsk(f"{WORDED}:{own.name}:{variant}", own, made, seed + variant)
        for own in domains_of_people
        for variant in range(1 if own in apart else _VARIANTS)
    ]
    watched = list[Example]()
    graphs = [own for own in graphs if _kind_of(own) not in without]
    with get_context("spawn").Pool(workers) as pool:
        for place, (own, found) in enumerate(zip(graphs, pool.imap(_asked, graphs), strict=True)):
            schemas[own.name], asked = found
            if own.over in apart:
                watched += asked[:_WATCHED]
            else:
                several[_kind_of(own)] += asked
            if place % 50 == 0:
                told(f"asked over {own.name}, {place + 1} of {len(graphs)} graphs")
    examples |= {name: own for name, own in several.items() if own}
    weights |= _WEIGHTS
    return Lessons(examples, weights, schemas, apart, watched, provenance)


class _ToAsk(NamedTuple):
    """A graph that is made over a schema or a domain, to be asked about."""

    name: str
    over: SchemaLabels | Domain
    questions: int
    seed: int


def _kind_of(own: _ToAsk) -> str:
    return WORDED if isinstance(own.over, Domain) else MADE


def _asked(own: _ToAsk) -> tuple[SchemaLabels, list[Example]]:
    """The schema of a graph, and questions over it; none where it cannot be asked about."""
    with TemporaryDirectory() as folder:
        try:
            graph = made_graph(own.over, Path(folder), own.seed)
        except GroundwalkError:
            return SchemaLabels(), []
        with closing(graph.kg):
            asked = examples_over(graph.kg, graph.material, own.name, own.seed)
            return graph.schema, list(islice(asked, own.questions))


def _number(name: str) -> int:
    return int(sha256(name.encode()).hexdigest()[:8], 16)


def _schemas_to_ask(data: Path, known: Mapping[str, SchemaLabels]) -> dict[str, SchemaLabels]:
    """The schemas over which graphs are made, cut to a size, by their names."""
    freebase = [own for own in freebase_hops(data) if not own[0].startswith(_NO_DOMAIN)]
    several = {f"fb:{name}": own for name, own in domains(freebase).items()}
    several |= {f"so:{name}": own for name, own in schema_org(data).items()}
    several |= {f"wd:{name}": own for name, own in wikidata_parts(data, _RELATIONS).items()}
    several |= {f"of:{name}": own for name, own in known.items() if name not in _WHOLE}
    return {name: fewer(own, _RELATIONS, Random(_number(name))) for name, own in several.items()}


class MadeGraph(NamedTuple):
    """A graph that was made, what its schema is, and what questions about it are made of."""

    kg: KnowledgeGraph
    schema: SchemaLabels
    material: Material


def made_graph(over: SchemaLabels | Domain, folder: Path, seed: int) -> MadeGraph:
    """A graph that is made over a schema, or over a domain with its wordings, in `MADE_GRAPH`.

    Raises GroundwalkError for one that leaves nothing to ask.
    """
    file, phrasebook = folder / MADE_GRAPH, None
    if isinstance(over, Domain):
        phrasebook = folder / "phrasebook.toml"
        over = write_domain(over, file, phrasebook, Random(seed))
    else:
        write_graph(over, file, Random(seed))
    kg = open_kg(str(file))
    recipe = Recipe(formats=("path", "query"), seed=seed, phrasebook=phrasebook)
    return MadeGraph(kg, over, gather(kg, MADE, recipe))


def examples_over(
    kg: KnowledgeGraph, material: Material, schema: str, seed: int
) -> Iterator[Example]:
    """Questions over a graph, made anew without end."""
    named, queries = names_of(kg), material.queries
    for question in () if queries is None else queries.stream(seed):
        own = asked_of(question)
        if own is not None and (made := made_example(own, MADE, schema, named)) is not None:
            yield made
