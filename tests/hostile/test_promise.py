"""Not one unsupported triple comes out as supported; rdflib says what is."""

from collections.abc import Sequence

import pytest
from groundwalk.agent.kg import Path, Step, Triple, verify_paths
from groundwalk.agent.kg.verification.claims import PathVerdict, Verdict

from . import changed, decodes, forged, table
from .decodes import Tally, decode
from .forged import forge
from .oracle import Oracle

HELD = Triple("<urn:a>", "<urn:p>", '"x"@en')
TEXT = f"{' '.join(HELD)} .\n"


@pytest.mark.parametrize("size", [250, pytest.param(1_000, marks=pytest.mark.slow)])
def test_every_suite_keeps_the_promise(size: int) -> None:
    for suite, tried, broken in table.rows(size):
        assert tried >= size, suite
        assert broken == 0, suite


def test_what_is_true_is_not_denied() -> None:
    assert decode(200, seed=7).denied == 0
    judged = forge(500, seed=7)
    assert judged.chains > judged.true > 100


@pytest.mark.slow
def test_a_hundred_thousand_forged_chains() -> None:
    assert forge(100_000, seed=1).unsupported == 0


@pytest.mark.parametrize(
    "other",
    [
        ("<urn:b>", "<urn:p>", '"x"@en'),
        ("<urn:a>", "<urn:p>", '"x"@de'),
        ("<urn:a>", "<urn:p>", '"x"'),
        ('"x"@en', "<urn:p>", "<urn:a>"),
        ("<urn:a>", "<urn:p>", '"x"@en . <urn:a> <urn:p> "x"@en'),
        ("", "", ""),
    ],
)
def test_the_oracle_tells_triples_apart(other: Sequence[str]) -> None:
    oracle = Oracle(TEXT)
    assert oracle.holds(HELD) and not oracle.holds(other)


def test_a_verifier_that_says_yes_to_all_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suites can fail."""
    yes: Verdict = "supported"

    def credulous(_: object, __: object, paths: Sequence[Path], **more: object) -> list[object]:
        del more
        return [PathVerdict(path, yes, (yes,) * len(path.steps), True) for path in paths]

    for module in (forged, changed):
        monkeypatch.setattr(module, "verify_paths", credulous)
    assert forge(200).unsupported > 20
    assert changed.change(100).unsupported > 20


def test_a_decode_of_what_is_not_there_is_found_out() -> None:
    store, oracle = forged.oxigraph(TEXT), Oracle(TEXT)
    made_up = Path("<urn:a>", (Step(HELD._replace(relation="<urn:q>")),))
    assert decodes.judged(store, oracle, ["<urn:a>"], [made_up]) == Tally(1, 1, 1, 0)
    real = Path("<urn:a>", (Step(HELD),))
    assert decodes.judged(store, oracle, ["<urn:a>"], [real]) == Tally(1, 1, 0, 0)
    assert verify_paths(store, ["<urn:a>"], [real])[0].verdict == "supported"
