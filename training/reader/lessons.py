"""What the bundled reader learns from: real questions of many schemas, and made ones over more."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ...agent.errors import GroundwalkError
from ..wording.english import domain_files
from .asked import (
    ASKED,
    RESEMBLING,
    asked_examples,
    asked_graphs,
    is_apart,
    number_of,
)
from .composed import COMPOSED, composed
from .examples import Example, examples_of
from .labelled import LABELLED, labelled
from .made_graphs import (
    MADE,
    WORDED,
    Domain,
    examples_over,
    fewer,
    freebase_domains,
    made_graph,
    read_domain,
)
from .rows import ROWS, rows
from .sources import (
    SOURCES,
    SchemaLabels,
    Source,
    file_digest,
    freebase_hops,
    read_schemas,
    read_source,
    schema_org,
    tuning_databases,
    wikidata_parts,
)

_WEIGHTS = {
    MADE: 0.8,
    WORDED: 3.0,
    COMPOSED: 1.5,
    ROWS: 2.0,
    LABELLED: 1.5,
    ASKED: 3.0,
    RESEMBLING: 3.0,
}
_COMPOSED = 80_000
"""Questions that are composed of simpler ones."""
_ROWS = 40_000
"""Questions for the rows of tables."""
_LABELLED = 40_000
"""Questions in the words of labels."""
_TABLES = ("wikisql", "spider", "text2sql-advising")
"""Sources that ask of tables."""
_VARIANTS = 8
"""Graphs over each domain, each with labels of its own."""
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


def gather_lessons(
    data: Path,
    *,
    made: int,
    twins: bool,
    without: frozenset[str],
    seed: int,
    report: Callable[[str], None],
    workers: int = 1,
) -> Lessons:
    """All lessons; `made` questions over each graph that is made, in so many processes.

    Wordings that test questions have come with `twins`; sources in `without` are left out. Raises
    OSError where a file of `data` is missing.
    """
    examples, weights = dict[str, Sequence[Example]](), dict[str, float]()
    provenance, watched = list[Provenance](), list[Example]()
    unseen = frozenset[str]().union(*(s.schemas_apart for s in SOURCES)) | tuning_databases(data)
    for source in SOURCES:
        if source.name in without or (source.is_twin and not twins):
            continue
        report(f"reading {source.name}")
        examples[source.name], origin = _examples_of(source, data, unseen)
        weights[source.name] = source.weight
        provenance.append(origin)
    schemas = read_schemas(data)
    every = list(chain.from_iterable(examples.values()))
    domains = list(map(read_domain, domain_files()))
    apart = [domain for domain in domains if is_apart(domain.name)]
    graphs = _over_schemas(data, schemas, unseen, made, seed) if MADE not in without else []
    if WORDED not in without:
        graphs += _over_domains(domains, apart, made, seed)
    by_kind: dict[str, list[Example]] = {kind: [] for kind in _WEIGHTS}
    if COMPOSED not in without:
        by_kind[COMPOSED] = composed(every, schemas, _COMPOSED, seed)
    if ROWS not in without:
        tables = chain.from_iterable(examples.get(name, ()) for name in _TABLES)
        nouns = [noun for domain in domains if domain not in apart for noun in _nouns(domain)]
        by_kind[ROWS] = rows(tables, schemas, nouns, _ROWS, seed)
    for graph, (schema, questions) in _asked_over(graphs, workers, report):
        schemas[graph.name] = schema
        if graph.over in apart:
            watched += questions[:_WATCHED]
        else:
            by_kind[graph.kind] += questions
    for asked in (graph for graph in asked_graphs() if graph.kind not in without):
        schemas[asked.name] = asked.schema
        (watched if is_apart(asked.name) else by_kind[asked.kind]).extend(asked_examples(asked))
    if LABELLED not in without:
        learnt_of = {graph.name for graph in graphs if graph.over not in apart}
        named = {name: schema for name, schema in schemas.items() if name in learnt_of}
        by_kind[LABELLED] = labelled(named, _LABELLED, seed)
    examples |= {kind: learnt for kind, learnt in by_kind.items() if learnt}
    return Lessons(examples, weights | _WEIGHTS, schemas, apart, watched, provenance)


def _examples_of(
    source: Source, data: Path, unseen: frozenset[str]
) -> tuple[list[Example], Provenance]:
    """What is learnt of a source: its questions over all schemas but the `unseen` ones."""
    file = data / "questions" / f"{source.name}.jsonl.gz"
    learnt = examples_of(
        question
        for question in read_source(file)
        if question.schema not in unseen and (not source.splits or question.split in source.splits)
    )
    names = source.name, source.public_name, source.licence
    return learnt, Provenance(*names, file_digest(file), len(learnt))


def _nouns(domain: Domain) -> Iterator[tuple[str, str]]:
    """The nouns of a domain's things, each for one and for many."""
    for written in chain.from_iterable(domain.things.values()):
        one, _, many = written.partition("/")
        yield one, many or one


class _ToAsk(NamedTuple):
    """A graph that is made over a schema or a domain, to be asked about."""

    name: str
    over: SchemaLabels | Domain
    questions: int
    seed: int

    @property
    def kind(self) -> str:
        return WORDED if isinstance(self.over, Domain) else MADE


def _over_schemas(
    data: Path, schemas: Mapping[str, SchemaLabels], unseen: frozenset[str], made: int, seed: int
) -> list[_ToAsk]:
    return [
        _ToAsk(name, schema, made, seed)
        for name, schema in _schemas_to_ask(data, schemas).items()
        if name.partition(":")[2] not in unseen
    ]


def _over_domains(
    domains: Sequence[Domain], apart: Sequence[Domain], made: int, seed: int
) -> list[_ToAsk]:
    return [
        _ToAsk(f"{WORDED}:{domain.name}:{variant}", domain, made, seed + variant)
        for domain in domains
        for variant in range(1 if domain in apart else _VARIANTS)
    ]


def _asked_over(
    graphs: Sequence[_ToAsk], workers: int, report: Callable[[str], None]
) -> Iterator[tuple[_ToAsk, tuple[SchemaLabels, list[Example]]]]:
    """Each graph with its schema and questions, in order; they are made by several processes."""
    with get_context("spawn").Pool(workers) as pool:
        for number, asked in enumerate(zip(graphs, pool.imap(_asked, graphs), strict=True)):
            yield asked
            if number % 50 == 0:
                report(f"asked over {asked[0].name}, {number + 1} of {len(graphs)} graphs")


def _asked(graph: _ToAsk) -> tuple[SchemaLabels, list[Example]]:
    """The schema of a graph, and questions over it; none where it cannot be asked about."""
    with TemporaryDirectory() as folder:
        try:
            made = made_graph(graph.over, Path(folder), graph.seed)
        except GroundwalkError:
            return SchemaLabels(), []
        with closing(made.kg):
            asked = examples_over(made.kg, made.material, graph.name, graph.seed)
            return made.schema, list(islice(asked, graph.questions))


def _schemas_to_ask(data: Path, known: Mapping[str, SchemaLabels]) -> dict[str, SchemaLabels]:
    """The schemas over which graphs are made, cut to a size, by their names."""
    freebase = [row for row in freebase_hops(data) if not row[0].startswith(_NO_DOMAIN)]
    schemas = {f"fb:{name}": schema for name, schema in freebase_domains(freebase).items()}
    schemas |= {f"so:{name}": schema for name, schema in schema_org(data).items()}
    schemas |= {f"wd:{name}": schema for name, schema in wikidata_parts(data, _RELATIONS).items()}
    schemas |= {f"of:{name}": schema for name, schema in known.items() if name not in _WHOLE}
    return {
        name: fewer(schema, _RELATIONS, Random(number_of(name))) for name, schema in schemas.items()
    }
