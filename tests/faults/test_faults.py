"""Every fault is survived: one line, a true status, and the next question answered."""

from collections.abc import Iterator
from typing import Any

import pytest

from .cases import Case, cases
from .disk import mounts
from .trials import Bench


def _all() -> list[Any]:
    slow = [pytest.mark.slow]
    return [pytest.param(c, id=c.name, marks=slow if c.heavy else []) for c in cases()]


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench() as opened:
        yield opened


@pytest.mark.parametrize("case", _all())
def test_a_fault_is_survived(bench: Bench, case: Case) -> None:
    if case.part == "disk" and case.heavy and not mounts():
        pytest.skip("no file system can be mounted here")
    out = case.tried(bench)
    assert not out.wrong, f"{out.status}: {out.line}"
