"""A card: what the graph says of one thing or class, relation by relation, each triple verified."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ..answers.candidates import entity_record, name_terms
from ..answers.class_words import MOST_MEMBERS, class_called, members_of
from ..answers.computed import Computed, cell_text, result_record, shortened, verified_triples
from ..kg import KnowledgeGraph
from ..kg.store import metered
from ..kg.terms import Step, Term, is_literal
from ..query.members import Steps
from ..records import Entity, MentionRecord, Named, StepRecord, Turn
from .acts import class_asked_about, is_alone

Row: TypeAlias = list[Named | int | float | None]

_MOST_READ = 500
"""Facts of the entity that are read in each direction."""
_MOST_RELATIONS = 16
_MOST_VALUES = 5
"""Values of a relation that are shown; the rest is counted."""
_MEMBERS = "members"
_MOST_BEARERS = 10
"""Things of one given or family name that are chosen from."""


def class_mention(kg: KnowledgeGraph, question: str) -> MentionRecord | None:
    """The class that a text asks about and nothing else; None for any other text."""
    text = class_asked_about(question)
    class_ = class_called(kg, text) if text else None
    if class_ is None:
        return None
    (info,) = kg.labels.describe([class_])
    entity: Entity = {**entity_record(info, 1.0), "kind": ""}
    start = max(question.casefold().rfind(text), 0)
    end = start + len(text)
    return MentionRecord(text=text, start=start, end=end, ambiguous=False, candidates=[entity])


def bearers_mention(
    kg: KnowledgeGraph, question: str, mentions: Sequence[MentionRecord], turns: Sequence[Turn]
) -> MentionRecord | None:
    """Who is called by the given or family name that a text is; None for any other text.

    Such a name is a value of its own beside the whole one. Raises ServiceError.
    """
    value = mentions[0]["candidates"][0]["term"] if len(mentions) == 1 else ""
    if not is_literal(value) or not is_alone(question, mentions[0], turns):
        return None
    (steps,) = kg.walks.neighbours([value], limit=_MOST_READ)
    bearers = [step.target for step in steps if step.triple.relation in kg.profile.naming_facts]
    if not bearers:
        return None
    infos = kg.labels.describe(list(dict.fromkeys(bearers))[:_MOST_BEARERS])
    candidates = [entity_record(info, 1.0) for info in infos]
    return {**mentions[0], "ambiguous": len(candidates) > 1, "candidates": candidates}


def card(kg: KnowledgeGraph, entity: Entity, *, all_facts: bool = False) -> Computed:
    """The facts of an entity: first those about it, then those that point at it, then its members.

    The result has a row for each relation: its name, after `←` where it points at the entity, and
    its values: the first of them, or all with `all_facts`. What the store does not confirm is left
    out. The status is `unchecked` where the store did not say, and `abstained`
    where there are no facts. Raises ServiceError.
    """
    (steps,) = kg.walks.neighbours([entity["term"]], limit=_MOST_READ)
    members = {} if entity["kind"] else members_of(kg, entity["term"])
    walks = {walk[-1]: walk for walk in members.values()}
    groups = _by_relation([*steps, *walks])
    relations, values = (None, _MOST_READ) if all_facts else (_MOST_RELATIONS, _MOST_VALUES)
    shown_groups = groups[:relations]
    with metered() as meter:
        listed = [step for group in shown_groups for step in group[:values]]
        proofs = _confirmed(kg, [walks.get(step, (step,)) for step in listed])
    if not proofs:
        silent = meter.failure or "the graph does not say clearly what it holds"
        status, note = (
            ("unchecked", silent)
            if shown_groups
            else ("abstained", "the graph has no facts about it")
        )
        return Computed(status, topics=[entity], notes=[note])
    rows, more = _rows(kg, shown_groups, proofs, values)
    sentences = map(_sentence, rows, more)
    about = [entity["description"] or entity["kind"], _size(len(members))]
    described = "; ".join(filter(None, about))
    title = f"{entity['label']} ({described})" if described else entity["label"]
    text = " ".join(map(_ended, (title, *sentences)))
    triples = [record for proof in proofs.values() for record in proof]
    result = result_record("card", text, "the facts of the graph about it", triples=triples)
    notes = _cut(len(groups) - len(shown_groups), len(steps))
    return Computed("answered", [], [entity], {**result, "rows": rows, "more": more}, notes, 1.0)


def _rows(
    kg: KnowledgeGraph,
    groups: Sequence[Sequence[Step]],
    proofs: Mapping[Step, list[StepRecord]],
    most: int,
) -> tuple[list[Row], list[int]]:
    """A row for each relation of which something is proved, and how many values it leaves out."""
    relations = [step.triple.relation for step in proofs]
    named_terms = name_terms(kg.walk_labels, [*relations, *(step.target for step in proofs)])
    rows, more = list[Row](), list[int]()
    for group in groups:
        values = [named_terms[step.target] for step in group if step in proofs]
        if values:
            relation, inverse = group[0].triple.relation, group[0].inverse
            is_of_class = inverse and relation in kg.profile.types
            heading = _heading(named_terms[relation], inverse=inverse)
            heading = Named(term=relation, label=_MEMBERS) if is_of_class else heading
            rows.append([heading, *values])
            more.append(len(group[most:]))
    return rows, more


def _sentence(row: Row, more: int) -> str:
    heading, *values = map(cell_text, row)
    return f"{heading}: {shortened(values, len(values) + more)}"


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith(".") else f"{sentence}."


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


def _confirmed(kg: KnowledgeGraph, walks: Sequence[Steps]) -> Mapping[Step, list[StepRecord]]:
    """The triples behind each walk, by its last step, where the store holds all of them."""
    triples = verified_triples(kg, [step for walk in walks for step in walk])
    proofs = {walk[-1]: [record for step in walk for record in triples[step]] for walk in walks}
    return {
        step: records
        for step, records in proofs.items()
        if records and all(record["verdict"] == "supported" for record in records)
    }


def _size(members: int) -> str:
    """How many members a class has; empty for a thing, which has none."""
    bound = "at least " if members >= MOST_MEMBERS else ""
    are = "1 member" if members == 1 else f"{members:,} {_MEMBERS}"
    return f"a class of {bound}{are}" if members else ""


def _heading(relation: Named, *, inverse: bool) -> Named:
    label = f"← {relation['label']}" if inverse else relation["label"]
    return Named(term=relation["term"], label=label)


def _cut(left_out: int, read: int) -> list[str]:
    """What the card leaves out, of relations and of so many facts that were read."""
    are = "relation is" if left_out == 1 else "relations are"
    notes = [f"{left_out} more {are} not shown"] if left_out else []
    if read >= _MOST_READ:
        notes.append(f"{_MOST_READ} of its facts were read in each direction: there may be more")
    return notes
