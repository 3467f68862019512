"""How the last question of short conversations is answered: complete by itself, or following on.

`python -m groundwalk.evaluation.benchmarks.conversations [--file FILE.jsonl] [--out FILE.json]`
asks the turns of each conversation in turn and scores the last. By default it asks the sealed half
of `data/exams`, of which only the counts are shown; `--misses` tells what an open half got wrong.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from langgraph.checkpoint.memory import InMemorySaver

from ...agent.options import Options
from ...graphs import build_graph
from ..scoring.answer_forms import Form, numeral, row_text, stated_in_form
from .harness import conduct, options_of

_SEALED = resources.files("groundwalk.data") / "exams" / "world" / "conversations.sealed.jsonl"
KINDS = {"alone": "complete by itself", "follows": "follows on", "silent": "no answer"}


class Asked(NamedTuple):
    """A conversation with what its last turn came to."""

    turns: Sequence[str]
    kind: str
    right: bool
    answered: bool
    reading: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = options_of("conversations", __doc__)
    parser.add_argument("--file", type=Path, help="conversations, one a line (default: sealed)")
    parser.add_argument("--misses", action="store_true", help="tell the turns that went wrong")
    options = parser.parse_args(arguments)
    return conduct(lambda: run(options.file, with_misses=options.misses), table, options.out)


def run(file: Path | None, *, with_misses: bool = False) -> dict[str, Any]:
    """For each kind how many last turns there are, are answered, and are right; and the misses."""
    text = (file or Path(str(_SEALED))).read_text(encoding="utf-8")
    asked = list(_asked([json.loads(line) for line in text.splitlines()]))
    kinds = {
        kind: {
            "questions": sum(turn.kind == kind for turn in asked),
            "answered": sum(turn.kind == kind and turn.answered for turn in asked),
            "right": sum(turn.kind == kind and turn.right for turn in asked),
        }
        for kind in KINDS
    }
    misses = [turn._asdict() for turn in asked if not turn.right] if with_misses else []
    return {"kinds": kinds, "misses": misses}


def table(report: Mapping[str, Any]) -> Iterator[str]:
    """The report as lines of aligned text."""
    yield f"{'':22}{'questions':>10}{'answered':>10}{'right':>8}"
    for kind, name in KINDS.items():
        row = report["kinds"][kind]
        yield f"{name:22}{row['questions']:>10}{row['answered']:>10}{row['right']:>8}"
    for miss in report["misses"]:
        yield f"{miss['kind']:8} {' | '.join(miss['turns'])} -> {miss['reading'] or 'silent'}"


def _asked(conversations: Sequence[Mapping[str, Any]]) -> Iterator[Asked]:
    graph = build_graph(checkpointer=InMemorySaver(), options=Options(on_ambiguous="best"))
    for number, conversation in enumerate(conversations):
        thread: Any = {"configurable": {"thread_id": str(number)}}
        output: Mapping[str, Any] = {}
        for question in conversation["turns"]:
            output = graph.invoke({"question": question}, thread)
        kind = (
            "silent"
            if not conversation["answers"]
            else "follows"
            if conversation["follows"]
            else "alone"
        )
        answer = _answer_of(output, conversation["form"])
        right = answer == _gold(conversation["answers"], conversation["form"])
        yield Asked(conversation["turns"], kind, right, bool(answer), output.get("reading", ""))


def _answer_of(output: Any, form: Form) -> set[str]:
    """What was answered, as the exam has it; nothing where it is silent."""
    if output["status"] not in ("answered", "partial"):
        return set()
    stated = stated_in_form(output, form)
    return {answer["term"] for answer in output["answers"]} if stated is None else set(stated)


def _gold(answers: Sequence[Any], form: Form) -> set[str]:
    match form:
        case "number":
            return {numeral(answer) for answer in answers}
        case "rows":
            return {row_text(row) for row in answers}
        case _:
            return set(answers)


if __name__ == "__main__":
    raise SystemExit(main())
