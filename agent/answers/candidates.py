"""Between RDF terms and the JSON records of the state."""

from collections.abc import Iterable, Sequence

from ..decoding.wire import SEPARATOR, escape, spell_relation
from ..kg import KnowledgeGraph, Labels, TermInfo
from ..kg.terms import Path, RelationPath, Step, Term, Triple, is_triple_term
from ..llm.prompt import Mention
from ..records import Candidate, Entity, Form, Named, StepRecord
from ..state import State


def name_terms(labels: Labels, terms: Sequence[Term]) -> dict[Term, Named]:
    """The readable name of each term, in one request."""
    distinct = list(dict.fromkeys(terms))
    names = labels.names(distinct)
    return {t: Named(term=t, label=n) for t, n in zip(distinct, names, strict=True)}


def entity_record(info: TermInfo, score: float) -> Entity:
    """The record of an entity that the labels of the KG describe."""
    return Entity(
        term=info.term,
        label=info.name,
        kind=info.kind,
        description=info.description,
        score=score,
    )


def step_records(labels: Labels, paths: Sequence[Path]) -> list[list[StepRecord]]:
    """The steps of each path, not yet verified."""
    named_terms = name_terms(
        labels, [term for path in paths for s in path.steps for term in s.triple]
    )
    return [
        [
            StepRecord(
                head=named_terms[step.triple.head],
                relation=named_terms[step.triple.relation],
                tail=named_terms[step.triple.tail],
                inverse=step.inverse,
                verdict="unknown",
            )
            for step in path.steps
        ]
        for path in paths
    ]


def candidate(
    labels: Labels, path: Path, score: float, relevance: float, hypothesis: str = ""
) -> Candidate:
    """The record of a decoded path; without a `hypothesis` of the model's it is the path's end."""
    (record,) = _candidates(labels, [path], score, relevance)
    return {**record, "hypothesis": hypothesis or record["hypothesis"]}


def candidates_of(
    kg: KnowledgeGraph, paths: Sequence[Path], score: float, relevance: float
) -> list[Candidate]:
    """The records of paths over `kg.walks` that are equally likely; of those that have a proof."""
    proofs = [(path, proof) for path, proof in zip(paths, kg.prove(paths), strict=True) if proof]
    records = _candidates(kg.labels, [proof for _, proof in proofs], score, relevance)
    return [
        _with_walk(kg, record, path, proof)
        for record, (path, proof) in zip(records, proofs, strict=True)
    ]


def _candidates(
    labels: Labels, paths: Sequence[Path], score: float, relevance: float
) -> list[Candidate]:
    chains = step_records(labels, paths)
    named_terms = name_terms(labels, [term for path in paths for term in (path.topic, path.end)])
    return [
        Candidate(
            topic=named_terms[path.topic],
            steps=steps,
            answer=named_terms[path.end],
            hypothesis=named_terms[path.end]["label"],
            text=spell(named_terms[path.topic], steps),
            score=round(score, 6),
            relevance=round(relevance, 6),
        )
        for path, steps in zip(paths, chains, strict=True)
    ]


def proven_candidate(
    kg: KnowledgeGraph,
    path: Path,
    proof: Path,
    score: float,
    relevance: float,
    hypothesis: str = "",
) -> Candidate:
    """The record of a path that was walked over `kg.walks`, given its proof of real triples."""
    record = candidate(kg.labels, proof, score, relevance, hypothesis)
    return _with_walk(kg, record, path, proof)


def _with_walk(kg: KnowledgeGraph, record: Candidate, path: Path, proof: Path) -> Candidate:
    """The record with the walk itself, where that is not its proof."""
    if kg.reading.plain:
        return record
    return {**record, "walked": list(path.relations), "read": kg.used(path, proof)}


def walked_relations(record: Candidate) -> RelationPath:
    """The relation path along which a candidate was walked, for executing it over `kg.walks`."""
    walked = record.get("walked")
    if walked is None:
        return path_of(record["topic"]["term"], record["steps"]).relations
    return tuple((relation, inverse) for relation, inverse in walked)


def reading_notes(words_of_proofs: Iterable[Sequence[str]]) -> list[str]:
    """A note on what answers rest on beside the facts as they stand, where there is any.

    `words_of_proofs` has for each proof what of the reading of the KG it rests on, in words.
    """
    words = list(dict.fromkeys(word for words in words_of_proofs for word in words))
    return [f"read with {', '.join(words)}"] if words else []


def spell(topic: Named, steps: Sequence[StepRecord]) -> str:
    """A chain in one line, as the model writes it.

    A step from a triple term, which stands for its subject, has the triple after the relation.
    """
    line = [escape(topic["label"])]
    for step in steps:
        relation = spell_relation(escape(step["relation"]["label"]), step["inverse"])
        ends_in_triple = step["inverse"] and is_triple_term(step["tail"]["term"])
        line.append(f"{relation} {escape(step['tail']['label'])}" if ends_in_triple else relation)
        line.append(escape((step["head"] if step["inverse"] else step["tail"])["label"]))
    return SEPARATOR.join(line)


def path_of(topic: Term, steps: Sequence[StepRecord]) -> Path:
    """The path that a chain of records stands for."""
    return Path(
        topic,
        tuple(
            Step(
                Triple(step["head"]["term"], step["relation"]["term"], step["tail"]["term"]),
                step["inverse"],
            )
            for step in steps
        ),
    )


def question_mentions(state: State) -> list[Mention]:
    """Where the question names its topic entities, as prompts want it."""
    best = [(mention, mention["candidates"][0]) for mention in state.get("mentions", [])]
    return [Mention(m["start"], m["end"], entity["label"], entity["kind"]) for m, entity in best]


def proves(form: Form, answer: Term, path: Path) -> bool:
    """Whether a path ends in the answer, or a chain has it among its entities."""
    if form == "path":
        return path.end == answer
    return any(answer in (step.source, step.target) for step in path.steps)
