"""A card: what the graph says of one entity, relation by relation, each triple verified."""

from collections.abc import Mapping, Sequence

from ..answers.candidates import name_terms, step_records
from ..answers.computed import Computed, result_record, some
from ..kg import KnowledgeGraph
from ..kg.store import metered
from ..kg.terms import Path, Step, Term
from ..kg.verification.claims import verify_paths
from ..records import Entity, Named, StepRecord

_MOST_READ = 500
"""Facts of the entity that are read in each direction."""
_MOST_RELATIONS = 16
_MOST_VALUES = 5
"""Values of a relation that are shown; the rest is counted."""


def card(kg: KnowledgeGraph, entity: Entity) -> Computed:
    """The facts of an entity: first those about it, then those that point at it.

    The result has a row for each relation: its name, after `←` where it points at the entity, and
    its values. What the store does not confirm is left out. The status is `unchecked` where the
    store did not say, and `abstained` where there are no facts. Raises ServiceError.
    """
    (steps,) = kg.store.neighbours([entity["term"]], limit=_MOST_READ)
    groups = _by_relation(steps)
    shown = groups[:_MOST_RELATIONS]
    walked = [step for group in shown for step in group[:_MOST_VALUES]]
    with metered() as meter:
        records = _confirmed(kg, entity["term"], walked)
    if not records:
        silent = meter.failure or "the graph does not say clearly what it holds"
        status, note = (
            ("unchecked", silent) if walked else ("abstained", "the graph has no facts about it")
        )
        return Computed(status, topics=[entity], notes=[note])
    named = name_terms(kg.labels, [step.target for step in records])
    rows, sentences = list[list[Named | int | float | None]](), list[str]()
    for group in shown:
        values = [named[step.target] for step in group if step in records]
        if values:
            heading = _heading(next(records[step] for step in group if step in records))
            rows.append([heading, *values])
            labels = [value["label"] for value in values]
            sentences.append(f"{heading['label']}: {some(labels, len(group))}")
    about = entity["description"] or entity["kind"]
    title = f"{entity['label']} ({about})" if about else entity["label"]
    text = f"{title}. {'. '.join(sentences)}."
    how = "the facts of the graph about it"
    result = result_record("card", text, how, triples=list(records.values()))
    notes = _cut(groups, len(steps))
    return Computed("answered", [], [entity], {**result, "rows": rows}, notes, 1.0)


def _by_relation(steps: Sequence[Step]) -> list[list[Step]]:
    """The steps of each relation and direction; those that leave the entity first."""
    groups: dict[tuple[bool, Term], list[Step]] = {}
    ends = set[tuple[Term, Term]]()
    for step in sorted(steps, key=lambda step: step.inverse):
        end = step.triple.relation, step.target
        if end not in ends:  # a symmetric relation is said once
            ends.add(end)
            groups.setdefault((step.inverse, step.triple.relation), []).append(step)
    return list(groups.values())


def _confirmed(kg: KnowledgeGraph, term: Term, steps: Sequence[Step]) -> Mapping[Step, StepRecord]:
    """The records of the steps that the store holds."""
    paths = [Path(term, (step,)) for step in steps]
    judged = verify_paths(kg.store, [term], paths)
    return {
        step: {**record, "verdict": "supported"}
        for step, (record,), judgement in zip(
            steps, step_records(kg.labels, paths), judged, strict=True
        )
        if judgement.verdict == "supported"
    }


def _heading(record: StepRecord) -> Named:
    relation = record["relation"]
    label = f"← {relation['label']}" if record["inverse"] else relation["label"]
    return Named(term=relation["term"], label=label)


def _cut(groups: Sequence[Sequence[Step]], read: int) -> list[str]:
    """What the card leaves out."""
    left_out = len(groups) - _MOST_RELATIONS
    notes = [f"{left_out} more relations are not shown"] if left_out > 0 else []
    if read >= _MOST_READ:
        notes.append(f"{_MOST_READ} of its facts were read in each direction: there may be more")
    return notes
