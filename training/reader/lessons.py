"""What the bundled reader learns from: real questions of many schemas, and made ones over more."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from ...agent.errors import GroundwalkError
from ...agent.kg import KnowledgeGraph, open_kg
from ...agent.query.account import names_of
from ..data import Material, gather
from ..query_encode import asked_of
from ..recipe import Recipe
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

MADE = "made"
"""The name of the questions that are made."""
_MADE_WEIGHT = 1.2
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

    Nothing is learnt of the schemas that are kept `apart`: thresholds are fitted on those.
    """

    examples: Mapping[str, Sequence[Example]]
    weights: Mapping[str, float]
    schemas: Mapping[str, SchemaLabels]
    apart: Mapping[str, SchemaLabels]
    provenance: Sequence[Provenance]


def lessons(
    data: Path,
    *,
    made: int,
    twins: bool,
    without: frozenset[str],
    seed: int,
    told: Callable[[str], None],
) -> Lessons:
    """All lessons; `made` questions over each schema.

    Those whose wordings are those of test questions come with `twins`; sources in `without` are
    left out. Raises OSError where a file of `data` is missing.
    """
    examples, weights = dict[str, list[Example]](), dict[str, float]()
    provenance = list[Provenance]()
    apart = frozenset[str]().union(*(own.kept_apart for own in SOURCES)) | tuning_databases(data)
    for source in SOURCES:
        if source.name in without or (source.is_twin and not twins):
            continue
        told(f"reading {source.name}")
        file = data / "questions" / f"{source.name}.jsonl.gz"
        questions = (
            own
            for own in read_source(file)
            if own.schema not in apart and (not source.splits or own.split in source.splits)
        )
        examples[source.name] = examples_of(questions)
        weights[source.name] = source.weight
        count = len(examples[source.name])
        provenance.append(
            Provenance(source.name, source.public_name, source.licence, digest(file), count)
        )
    schemas = read_schemas(data)
    over = _schemas_to_ask(data, schemas)
    schemas |= over
    made_of = list[Example]()
    if MADE not in without:
        for place, (name, schema) in enumerate(over.items()):
            if name.partition(":")[2] not in apart:
                made_of += made_examples(name, schema, made, seed + place)
            if place % 20 == 0:
                told(f"asking over {name}, {place + 1} of {len(over)} schemas")
    examples[MADE], weights[MADE] = made_of, _MADE_WEIGHT
    kept = {name: own for name, own in over.items() if name.partition(":")[2] in apart}
    return Lessons(examples, weights, schemas, kept, provenance)


def _schemas_to_ask(data: Path, known: Mapping[str, SchemaLabels]) -> dict[str, SchemaLabels]:
    """The schemas over which graphs are made, cut to a size, by their names."""
    freebase = [own for own in freebase_hops(data) if not own[0].startswith(_NO_DOMAIN)]
    several = {f"fb:{name}": own for name, own in domains(freebase).items()}
    several |= {f"so:{name}": own for name, own in schema_org(data).items()}
    several |= {f"wd:{name}": own for name, own in wikidata_parts(data, _RELATIONS).items()}
    several |= {f"of:{name}": own for name, own in known.items() if name not in _WHOLE}
    return {
        name: fewer(own, _RELATIONS, Random(int(sha256(name.encode()).hexdigest()[:8], 16)))
        for name, own in several.items()
    }


def made_examples(name: str, schema: SchemaLabels, count: int, seed: int) -> list[Example]:
    """Questions over a graph that is made over a schema; none where it cannot be asked about."""
    with TemporaryDirectory() as folder:
        try:
            kg, material = made_graph(schema, Path(folder), seed)
        except GroundwalkError:
            return []
        found = list(islice(examples_over(kg, material, name, seed), count))
        kg.close()
        return found


def made_graph(schema: SchemaLabels, folder: Path, seed: int) -> tuple[KnowledgeGraph, Material]:
    """A graph that is made over a schema, and what questions about it are made of.

    Raises GroundwalkError for a schema that leaves nothing to ask.
    """
    file = folder / "made.ttl"
    write_graph(schema, file, Random(seed))
    kg = open_kg(str(file))
    return kg, gather(kg, MADE, Recipe(formats=("path", "query"), seed=seed))


def examples_over(
    kg: KnowledgeGraph, material: Material, schema: str, seed: int
) -> Iterator[Example]:
    """Questions over a graph, made anew without end."""
    named, queries = names_of(kg), material.queries
    for question in () if queries is None else queries.stream(seed):
        own = asked_of(question)
        if own is not None and (made := made_example(own, MADE, schema, named)) is not None:
            yield made
