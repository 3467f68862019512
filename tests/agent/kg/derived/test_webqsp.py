"""Freebase's mediators in the graphs of real questions: collapsed, and proved triple by triple."""

import json
import re
from itertools import islice
from pathlib import Path as File

import pytest
from groundwalk.agent.kg import Path, Reading, Step, Triple, name_iri, verify_paths

from . import oracle
from .worlds import LABEL, PROFILE, opened

_RAW = re.compile(r"[mg]\.[0-9a-z_]+")
_GRAPHS = 300

pytestmark = pytest.mark.data("webqsp-slices/dev.jsonl")


@pytest.fixture(scope="module")
def slices(public_data: File) -> list[list[Triple]]:
    """Graphs with names for all but raw ids, which are what mediators are called."""
    graphs: list[list[Triple]] = []
    with (public_data / "webqsp-slices" / "dev.jsonl").open(encoding="utf-8") as lines:
        for line in islice(lines, _GRAPHS):
            facts = [[*map(str.strip, fact)] for fact in json.loads(line)["graph"]]
            names = {name for fact in facts for name in fact if not _RAW.fullmatch(name)}
            triples = [Triple(*(f"<{name_iri(name)}>" for name in fact)) for fact in facts]
            labels = [
                Triple(f"<{name_iri(n)}>", LABEL, json.dumps(n, ensure_ascii=False)) for n in names
            ]
            graphs.append([*dict.fromkeys(triples), *labels])
    return graphs


def test_mediators_are_passed_through_and_every_step_is_proved(
    slices: list[list[Triple]],
) -> None:
    joined = 0
    for triples in slices:
        kg = opened(triples, Reading("collapse"))
        facts = set(kg.walks.facts())
        assert facts == oracle.presented(triples, PROFILE, kg.reading).facts
        paths = [
            Path(step.source, (step,))
            for fact in sorted(facts)
            for step in (Step(fact), Step(fact, True))
        ]
        proofs = kg.prove(paths)
        assert all(proofs)
        found = [proof for proof in proofs if proof]
        for path, proof in zip(paths, found, strict=True):
            assert (proof.topic, proof.end) == (path.topic, path.end)
            assert len(proof.steps) <= 2
        verdicts = verify_paths(kg.store, {path.topic for path in paths}, found)
        assert {verdict.verdict for verdict in verdicts} <= {"supported"}
        joined += sum("urn:groundwalk:joined:" in fact.relation for fact in facts)
    assert joined > 100
