"""Run directories made of records that nobody had to ask for."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from groundwalk.agent.errors import ServiceError
from groundwalk.agent.records import Answer, Named, StepRecord, no_usage, nothing_emitted
from groundwalk.agent.state import State
from groundwalk.evaluation.records import Asked, Record, answered, failed
from groundwalk.evaluation.samples import Gold, Sample

ASKED = Asked("places", "dev", "gcr")
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"'><svg onload=alert(1)>",
    "<!-- <script>",
    "]]>&lt;b&gt;{{ 7 * 7 }}",
    "\u202eabc\u2066\u200f",
    "\x1b[2J\x1b]0;owned\x07\x00",
    "line\nbreak\u2028and\ttab",
)


def named(label: str, term: str | None = None) -> Named:
    return Named(term=f"<http://example.org/{label}>" if term is None else term, label=label)


def step(
    head: str, relation: str, tail: str, *, inverse: bool = False, verdict: str = "supported"
) -> StepRecord:
    return StepRecord(
        head=named(head),
        relation=named(relation),
        tail=named(tail),
        inverse=inverse,
        verdict=verdict,
    )


def answer(label: str, *chains: Sequence[StepRecord], score: float = 0.5) -> Answer:
    return Answer(**named(label), score=score, chains=[list(chain) for chain in chains])


def state(*answers: Answer, confidence: float = 0.9, **more: Any) -> State:
    found = State(
        status="answered" if answers else "abstained",
        answers=list(answers),
        confidence=confidence,
        usage={**no_usage(), "forward_passes": 5, "tokens": 100, "kg_requests": 2},
        emitted={**nothing_emitted(), "triples": 2, "supported": 2},
    )
    found.update(more)  # pyright: ignore[reportCallIssue, reportArgumentType]
    return found


def records(asked: Asked = ASKED) -> list[Record]:
    """One of every kind: right, wrong, unsupported, silent, rightly silent, failed, made up."""
    lima = (Gold("<http://example.org/Lima>", "Lima"),)
    walk = [
        step("Titicaca", "in", "Peru"),
        step("Peru", "capital", "Lima"),
    ]
    back = [step("Peru", "capital", "Lima", inverse=True)]
    claims: dict[str, Any] = {
        "unsupported": ["Atlantis"],
        "emitted": {**nothing_emitted(), "triples": 3, "supported": 2, "unsupported": 1, "ill": 1},
    }
    return [
        answered(
            Sample("right", "capital of Peru?", lima, hops=2, type="walk", tags=("easy",)),
            asked,
            state(answer("Lima", walk)),
            0.1,
        ),
        answered(
            Sample("wrong", "country of Lima?", (Gold(label="Peru"),), hops=1, type="back"),
            asked,
            state(answer("Chile"), answer("Peru", back), confidence=0.4, notes=["doubtful"]),
            0.2,
        ),
        answered(
            Sample("claimed", "lost cities?", lima, hops=1, type="walk"),
            asked,
            state(answer("Lima", walk), confidence=0.7, **claims),
            0.3,
        ),
        answered(Sample("silent", "rivers?", lima, hops=1), asked, state(confidence=0.1), 0.1),
        answered(Sample("rightly", "wakanda?"), asked, state(confidence=0.2), 0.1),
        answered(Sample("invented", "narnia?"), asked, state(answer("Lima"), confidence=0.6), 0.1),
        failed(Sample("failed", "down?", lima, hops=2), asked, ServiceError("no answer"), 9.0),
    ]


def config(count: int, **more: Any) -> dict[str, Any]:
    return {
        "method": "gcr",
        "questions": {"dataset": "places", "split": "dev", "count": count, "digest": "d1"},
        "options": {"beams": 10, "confidence": None},
        "kg": {"source": "places.ttl", "digest": "k1"},
        "model": {"source": "bundled"},
        "versions": {"groundwalk": "0.1.0"},
        "seed": 1,
        **more,
    }


def write_run(
    folder: Path,
    lines: Iterable[Record] | None = None,
    settings: dict[str, Any] | None = None,
) -> Path:
    found = records() if lines is None else list(lines)
    folder.mkdir(parents=True, exist_ok=True)
    made = config(len({r["id"] for r in found})) if settings is None else settings
    (folder / "config.json").write_text(json.dumps(made), encoding="utf-8")
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in found)
    (folder / "samples.jsonl").write_text(text, encoding="utf-8")
    return folder
