"""What a query came to, as answers with their verified triples and one line of text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..kg import KnowledgeGraph
from ..kg.profile import AUTO, Profile
from ..kg.store import metered
from ..kg.terms import Path, Step, Term, Triple, is_literal, node_of
from ..kg.verification.claims import Verdict, verify_paths
from ..query.binding import Bound
from ..query.members import Outcome
from ..query.tree import Entity as EntityStart
from ..query.tree import OfClass, nested
from ..records import Answer, Entity, Form, Kind, Named, Result, Status, StepRecord
from .candidates import entity_record, name_terms, step_records
from .texts import number_text, value_text, with_unit

_SHOWN = 10
"""Members that a line of text names."""


@dataclass(frozen=True)
class Computed:
    """What came of an operation; without a result it is like a plain question's answers."""

    status: Status
    answers: list[Answer] = field(default_factory=list[Answer])
    topics: list[Entity] = field(default_factory=list[Entity])
    result: Result | None = None
    notes: list[str] = field(default_factory=list[str])
    confidence: float = 0.0
    cut: bool = False
    """Whether there may be more answers."""


def result_record(
    kind: Kind,
    text: str,
    how: str,
    *,
    value: int | float | bool | None = None,
    triples: Sequence[StepRecord] = (),
) -> Result:
    """A result; of its triples each once."""
    distinct = [step for index, step in enumerate(triples) if step not in triples[:index]]
    return Result(kind=kind, value=value, text=text, how=how, triples=distinct)


def listed(answers: Sequence[Answer]) -> str:
    """The names of answers in one line."""
    return shortened(list(map(with_unit, answers)))


def shortened(names: Sequence[str], size: int = 0) -> str:
    """The first of some names in one line, and how many more there are, of `size` in all."""
    more = max(len(names), size) - len(names[:_SHOWN])
    return "; ".join(names[:_SHOWN]) + (f"; and {more:,} more" if more > 0 else "")


def sentence(step: StepRecord) -> str:
    """A triple as one reads it."""
    tail = value_text(step["tail"])
    return f"{step['head']['label']} - {step['relation']['label']} -> {tail}"


NONE = "None in the graph."
KINDS: Mapping[str, Kind] = {
    "count": "count",
    "sum": "sum",
    "avg": "average",
    "min": "smallest",
    "max": "largest",
}
"""What a number is that a query asks for."""


@dataclass(frozen=True)
class Verified:
    """What was verified before: steps, and the entities that walks of them begin at."""

    topics: Sequence[Entity] = ()
    steps: Mapping[Step, StepRecord] = field(default_factory=dict[Step, StepRecord])
    how: str = "computed over the whole graph"
    """What is said of a result where nothing else is."""


@dataclass(frozen=True)
class _OutcomeRecords:
    """An outcome in the records of the state; all of it was looked up at the source."""

    bound: Bound
    outcome: Outcome
    topics: list[Entity]
    named_terms: Mapping[Term, Named]
    runs: Mapping[Step, list[StepRecord]]
    compared: list[StepRecord]
    against: list[StepRecord]
    how: str
    failure: str
    """Why the source did not say of all triples whether it holds them; else empty."""
    profile: Profile

    def chain(self, steps: Iterable[Step]) -> list[StepRecord]:
        """The triples of some steps, each once."""
        return _records(self.runs, steps)


def computed_from(
    kg: KnowledgeGraph, bound: Bound, outcome: Outcome, before: Verified | None = None
) -> Computed:
    """The answers of a query with their proofs, what was computed, and the notes.

    Every triple that it rests on is verified at the source here, unless it was just `before`. A
    member without a whole proof is left out and told, and no number is told then. Where that leaves
    nothing, the status is `unchecked` if the source did not say whether it holds a triple, else
    `abstained`. Raises ServiceError.
    """
    records = _outcome_records(kg, bound, outcome, before or Verified())
    answers = [_answer(records, member) for member in outcome.members]
    verdicts: list[Verdict] = [_verdict(records, member) for member in outcome.members]
    if outcome.tested and outcome.instead and (unheld := _unheld_exceptions(records)):
        return unheld
    proven = [a for a, verdict in zip(answers, verdicts, strict=True) if verdict == "supported"]
    notes, unknown = [*outcome.notes, *_left_out(records, verdicts)], verdicts.count("unknown")
    if answers and not proven:
        status: Status = "unchecked" if unknown else "abstained"
        return Computed(status, proven, records.topics, None, notes, 0.0)
    is_of_all = outcome.form == "number" or outcome.tested > 0
    is_whole = len(proven) == len(answers) or not is_of_all
    result = _result(records, proven) if is_whole else None
    notes += [] if result else outcome.absent
    cut = unknown > 0 or len(answers) < outcome.size
    return Computed("answered", proven, records.topics, result, notes, 1.0, cut)


def _left_out(records: _OutcomeRecords, verdicts: Sequence[Verdict]) -> list[str]:
    """Notes on members that are left out, as the source does not say that they are such."""
    notes, of_all = list[str](), f"of {len(verdicts)}"
    if gone := verdicts.count("unsupported"):
        notes.append(f"{gone} {of_all} left out: the graph no longer holds what they rest on")
    if unknown := verdicts.count("unknown"):
        notes.append(
            f"{unknown} {of_all} left out, which could not be checked: {_reason_unchecked(records)}"
        )
    return notes


def _reason_unchecked(records: _OutcomeRecords) -> str:
    """Why something could not be checked."""
    return records.failure or "the graph does not say clearly what it holds"


def _unheld_exceptions(records: _OutcomeRecords) -> Computed | None:
    """What comes of a no to something about each of a set where no exception could be checked."""
    verdicts = [_verdict(records, member) for member in records.outcome.instead]
    if "supported" in verdicts:
        return None
    if "unknown" in verdicts:
        note = f"the exceptions could not be checked: {_reason_unchecked(records)}"
        return Computed("unchecked", [], records.topics, None, [note], 0.0)
    note = "the graph no longer holds what the exceptions rest on"
    return Computed("abstained", [], records.topics, None, [note], 0.0)


def _outcome_records(
    kg: KnowledgeGraph, bound: Bound, outcome: Outcome, before: Verified
) -> _OutcomeRecords:
    steps = [*(step for proof in outcome.proofs.values() for step in proof), *outcome.compared]
    walks = [walk for member_walks in outcome.walks.values() for walk in member_walks]
    steps += [*outcome.against, *(step for walk in walks for step in walk)]
    runs = {step: [record] for step, record in before.steps.items()}
    with metered() as meter:
        runs |= verified_triples(kg, [step for step in steps if step not in runs])
    compared, against = _records(runs, outcome.compared), _records(runs, outcome.against)
    cells = [cell for row in outcome.rows for cell in row if isinstance(cell, str)]
    cells += outcome.instead
    sources = [walk[-1].source for walk in walks]
    named_terms = name_terms(kg.walk_labels, [*outcome.members, *cells, *sources])
    topics = [*before.topics]
    known = {topic["term"] for topic in topics}
    others = [term for term in _topics(bound) if term not in known]
    topics += [entity_record(info, 1.0) for info in kg.labels.describe(others)]
    how, failure = before.how, meter.failure
    return _OutcomeRecords(
        bound, outcome, topics, named_terms, runs, compared, against, how, failure, kg.profile
    )


def verified_triples(kg: KnowledgeGraph, steps: Sequence[Step]) -> dict[Step, list[StepRecord]]:
    """The triples of the store behind each step of `kg.walks`, with what the store says of them.

    Raises ServiceError where the store does not answer.
    """
    distinct = list(dict.fromkeys(steps))
    if not distinct:
        return {}
    walks = [Path(step.source, (step,)) for step in distinct]
    is_plain = [kg.profile.skips(step.triple.relation) for step in distinct]
    proofs = iter(
        kg.prove([walk for walk, plain in zip(walks, is_plain, strict=True) if not plain])
    )
    paths = [
        walk if plain else next(proofs) or walk for walk, plain in zip(walks, is_plain, strict=True)
    ]
    judged = verify_paths(kg.store, [path.topic for path in paths], paths)
    return {
        step: [{**r, "verdict": v} for r, v in zip(records, verdict.steps, strict=True)]
        for step, records, verdict in zip(
            distinct, step_records(kg.labels, paths), judged, strict=True
        )
    }


def _topics(bound: Bound) -> list[Term]:
    """The entities that the query begins at."""
    terms = list[Term]()
    for node in (bound.query, *nested(bound.query)):
        match node.start:
            case tuple() as numbers:
                terms += [t for n in numbers if (t := bound.mentioned(n).term) is not None]
            case EntityStart(entity=name, id=term):
                terms.append(bound.entities[term or name])
            case OfClass(name=name, id=term) if class_ := bound.class_of(name, term):
                terms.append(class_)
            case _:
                pass
    return [term for term in dict.fromkeys(terms) if not is_literal(term)]


def _answer(records: _OutcomeRecords, member: Term) -> Answer:
    """A member with its proof, and what the last steps to it come from, each with its own chain."""
    answer = _proved_answer(records, member)
    sources, chains = dict[Term, Named](), list(answer["chains"])
    proved = set[tuple[Term, ...]]().union(*map(_triples, chains))
    for walk in records.outcome.walks.get(member, ()):
        if not _triples(records.runs[walk[-1]]) <= proved:
            proof = _chain_of(records, member, walk, answer)
            if proof is None:
                continue
            chains.append(proof)
            proved |= _triples(proof)
        sources[walk[-1].source] = records.named_terms[walk[-1].source]
    return {**answer, "chains": chains, "of": list(sources.values())} if sources else answer


def _triples(chain: Sequence[StepRecord]) -> set[tuple[Term, ...]]:
    return {tuple(step[part]["term"] for part in Triple._fields) for step in chain}


def _chain_of(
    records: _OutcomeRecords, member: Term, walk: tuple[Step, ...], answer: Answer
) -> list[StepRecord] | None:
    """A further chain of an answer, in its form; None where it is not verified, or no such walk."""
    if {record["verdict"] for step in walk for record in records.runs[step]} != {"supported"}:
        return None
    if answer.get("form") != "path":
        return records.chain(walk)
    topics = frozenset(node_of(topic["term"]) for topic in records.topics)
    walks = _walks(topics, member, walk)
    return _walked(records, walks[0]) if len(walks) == 1 else None


def _proved_answer(records: _OutcomeRecords, member: Term) -> Answer:
    """A member with its proof: as the walks from topics that it is made of, else as one chain.

    The last steps of a proof that lead to the value of an extreme are among what was compared.
    """
    steps = records.outcome.proofs.get(member, ())
    steps = steps[: len(steps) - _steps_to_value(records.bound)] or steps
    topics = frozenset(node_of(topic["term"]) for topic in records.topics)
    named_member = records.named_terms[member]
    if walks := _walks(topics, member, steps):
        chains = [_walked(records, walk) for walk in walks]
        distinct = [chain for index, chain in enumerate(chains) if chain not in chains[:index]]
        return Answer(**named_member, score=1.0, chains=distinct, form="path")
    is_path = not steps and member in topics
    form: Form = "path" if is_path else "chain"
    return Answer(**named_member, score=1.0, chains=[records.chain(steps)], form=form)


def _walks(
    topics: frozenset[Term], member: Term, steps: tuple[Step, ...]
) -> list[tuple[Step, ...]]:
    """The steps as whole walks between a topic and the member; none where they are no such."""
    walks, first = list[tuple[Step, ...]](), 0
    while first < len(steps):
        last = first + 1
        while last < len(steps) and steps[last - 1].target == steps[last].source:
            last += 1
        ends = (last, *range(first + 1, last))
        end = next((end for end in ends if _joins(topics, member, steps[first:end])), None)
        if end is None:
            return []
        walks.append(steps[first:end])
        first = end
    return walks


def _joins(topics: frozenset[Term], member: Term, walk: tuple[Step, ...]) -> bool:
    start, end = walk[0].source, walk[-1].target
    return (start in topics and end == member) or (start == member and end in topics)


def _walked(records: _OutcomeRecords, walk: tuple[Step, ...]) -> list[StepRecord]:
    """The triples of a walk from a topic; turned round where it was walked from the member."""
    topics = {node_of(topic["term"]) for topic in records.topics}
    steps = [record for step in walk for record in records.runs[step]]
    if walk[0].source in topics:
        return steps
    return [{**record, "inverse": not record["inverse"]} for record in reversed(steps)]


def _steps_to_value(bound: Bound) -> int:
    extreme = bound.query.extreme
    if extreme is None or extreme.count or extreme.agg or bound.query.columns:
        return 0
    return len(extreme.steps)


def _verdict(records: _OutcomeRecords, member: Term) -> Verdict:
    """What the source says of all that proves a member."""
    steps = records.outcome.proofs.get(member, ())
    verdicts = {triple["verdict"] for step in steps for triple in records.runs[step]}
    if verdicts <= {"supported"}:
        return "supported"
    return "unknown" if "unknown" in verdicts else "unsupported"


def _result(records: _OutcomeRecords, answers: Sequence[Answer]) -> Result | None:
    outcome, query = records.outcome, records.bound.query
    how = "; ".join(outcome.absent) or records.how
    compared = [step for step in records.compared if step["verdict"] == "supported"]
    match outcome.form:
        case "number":
            kind = KINDS[query.answer]
            number = result_record(
                kind, _number(records, answers), how, value=outcome.value, triples=compared
            )
            return {**number, "unit": outcome.unit} if outcome.unit else number
        case "truth":
            return _truth(records, answers, how, compared)
        case "rows":
            return _table(records, how, compared)
        case "connection":
            return _connection(records, answers, compared)
        case "members":
            if query.extreme is not None and answers:
                return result_record("extreme", _extreme(records, answers), how, triples=compared)
            return None if answers else result_record("list", NONE, how, triples=compared)


def _table(records: _OutcomeRecords, how: str, compared: Sequence[StepRecord]) -> Result:
    rows = [
        [records.named_terms[cell] if isinstance(cell, str) else cell for cell in row]
        for row in records.outcome.rows
    ]
    units = list(records.outcome.units)
    lines = [" | ".join(row_texts(row, units, records.profile)) for row in rows]
    table = result_record("table", "; ".join(lines) or NONE, how, triples=compared)
    return {**table, "rows": rows, "units": units} if any(units) else {**table, "rows": rows}


def _connection(
    records: _OutcomeRecords, answers: Sequence[Answer], compared: Sequence[StepRecord]
) -> Result:
    chain = answers[0]["chains"][0] if answers else []
    text = "; ".join(map(sentence, chain)) or NONE
    how = "; ".join(("the fewest hops", *records.outcome.absent))
    return result_record("connection", text, how, value=len(chain) or None, triples=compared)


def _number(records: _OutcomeRecords, answers: Sequence[Answer]) -> str:
    outcome = records.outcome
    if outcome.value is None:
        return "No value in the graph."
    text = number_text(outcome.value, outcome.unit, records.profile)
    if not answers:
        return text
    counted = "counted" if records.bound.query.answer == "count" else "of"
    names = list(map(with_unit, answers))
    return f"{text} ({counted}: {shortened(names, outcome.size)})"


def _truth(
    records: _OutcomeRecords, answers: Sequence[Answer], how: str, compared: Sequence[StepRecord]
) -> Result:
    if records.outcome.tested:
        return _truth_of_each(records, answers, how, compared)
    if records.outcome.value:
        proof = [step for chain in answers[0]["chains"] for step in chain] if answers else []
        sentences = [sentence(step) for step in _each_once([*compared, *proof])]
        otherwise = ["nothing in the graph says otherwise"] if records.outcome.absent else []
        reasons = sentences or otherwise
        yes = "Yes"
        if records.outcome.narrowed > 1:  # so that nobody takes some for all
            lacking = records.outcome.without_value
            unknown = f" ({lacking:,} without a value)" if lacking else ""
            yes = f"Yes, {records.outcome.size:,} of {records.outcome.narrowed:,}{unknown}"
        text = f"{yes}: {shortened(reasons)}." if reasons else f"{yes}."
        return result_record("truth", text, how, value=True, triples=compared)
    if against := [step for step in records.against if step["verdict"] == "supported"]:
        text = f"No, the graph has: {shortened(list(map(sentence, against)))}."
        return result_record("truth", text, records.how, value=False, triples=against)
    return _absent(records, how, compared)


def _truth_of_each(
    records: _OutcomeRecords, answers: Sequence[Answer], how: str, compared: Sequence[StepRecord]
) -> Result:
    """Whether something holds of each of a set: all of them, or the exceptions."""
    outcome = records.outcome
    if outcome.value:
        names = list(map(with_unit, answers))
        text = f"Yes, all {outcome.tested:,}: {shortened(names, outcome.tested)}."
        return result_record("truth", text, how, value=True, triples=compared)
    excepted = [member for member in outcome.instead if _verdict(records, member) == "supported"]
    names = [records.named_terms[member]["label"] for member in excepted]
    is_all = len(excepted) == len(outcome.instead)
    size = outcome.size if is_all else len(excepted)
    number = f"{size:,}" if is_all else f"at least {size:,}"
    are = "is" if size == 1 else "are"
    text = f"No, {number} of {outcome.tested:,} {are} not: {shortened(names, size)}."
    triples = records.chain(step for member in excepted for step in outcome.proofs.get(member, ()))
    return result_record("truth", text, how, value=False, triples=triples)


def _absent(records: _OutcomeRecords, how: str, compared: Sequence[StepRecord]) -> Result:
    """No, for nothing in the graph says so; with what it has in its place."""
    outcome = records.outcome
    proofs = (outcome.proofs.get(member, ()) for member in outcome.instead)
    instead = records.chain(step for proof in proofs for step in proof)
    instead = [step for step in (*compared, *instead) if step["verdict"] == "supported"]
    has = shortened([sentence(step) for step in instead])
    text = f"No, not in the graph. It has: {has}." if has else "No, not in the graph."
    return result_record("truth", text, how, value=False, triples=instead)


def _extreme(records: _OutcomeRecords, answers: Sequence[Answer]) -> str:
    """The members, each with its value where that is one of the graph."""
    proofs = records.outcome.proofs
    if not _steps_to_value(records.bound) or not proofs[answers[0]["term"]]:
        return listed(answers)
    names = list[str]()
    for answer in answers:
        record = records.runs[proofs[answer["term"]][-1]][-1]
        value = value_text(record["head" if record["inverse"] else "tail"])
        what = "" if names else f"{record['relation']['label']}: "
        names.append(f"{answer['label']} ({what}{value})")
    return shortened(names)


def row_texts(
    row: Sequence[Named | int | float | None],
    units: Sequence[str] = (),
    profile: Profile = AUTO,
) -> list[str]:
    """What a row of a table shows of its values; `units` are those of its columns' numbers."""
    cells = zip(row, units or [""] * len(row), strict=True)
    return [cell_text(cell, unit, profile) for cell, unit in cells]


def cell_text(cell: Named | int | float | None, unit: str = "", profile: Profile = AUTO) -> str:
    """What a row of a table shows of one of its values."""
    if cell is None:
        return "–"
    if isinstance(cell, (int, float)):
        return number_text(cell, unit, profile)
    return value_text(cell, unit)


def _records(runs: Mapping[Step, Sequence[StepRecord]], steps: Iterable[Step]) -> list[StepRecord]:
    """The triples behind some steps, each once."""
    return _each_once(record for step in steps for record in runs[step])


def _each_once(records: Iterable[StepRecord]) -> list[StepRecord]:
    distinct = dict[tuple[str, str, str], StepRecord]()
    for record in records:
        terms = (record["head"]["term"], record["relation"]["term"], record["tail"]["term"])
        distinct.setdefault(terms, record)
    return list(distinct.values())
