"""A fork of a range says what its names say one by one."""

from collections.abc import Sequence

import numpy as np
import pytest
from groundwalk.agent.decoding import units as units_module
from groundwalk.agent.decoding.arrays import spans
from groundwalk.agent.decoding.units import Branch, Tokens, UnitTable
from hypothesis import given
from hypothesis import strategies as st

ARROW = (1, 9)
"""Names hold its first token, but never all of it."""

units = st.sets(
    st.lists(st.integers(1, 3), min_size=1, max_size=5).map(tuple), min_size=1, max_size=60
).map(list[Tokens])


def naive(
    spelled: Sequence[Tokens], depth: int, follows: Sequence[bool]
) -> tuple[list[Branch], int | None]:
    branches: dict[int, Branch] = {}
    end: int | None = None
    for i, unit in enumerate(spelled):
        if len(unit) == depth:
            end = i
        key = unit + ARROW if follows[i] else unit
        if depth < len(key):
            lo = branches[key[depth]].lo if key[depth] in branches else i
            whole = follows[i] and depth + 1 == len(key)
            branches[key[depth]] = Branch(key[depth], lo, i + 1, whole)
    return list(branches.values()), end


@pytest.mark.parametrize("few", [0, 1_000])
@given(units=units, data=st.data())
def test_fork_is_what_the_names_say(few: int, units: list[Tokens], data: st.DataObject) -> None:
    table = UnitTable.of(units, ARROW)
    assert list(table) == units and len(table) == len(units)
    prefix = data.draw(st.sampled_from(units).flatmap(lambda unit: st.sampled_from(prefixes(unit))))
    names = [
        i for i in np.argsort(table.ranks).tolist() if (units[i] + ARROW)[: len(prefix)] == prefix
    ]
    follows = data.draw(st.lists(st.booleans(), min_size=len(names), max_size=len(names)))
    asked: list[int] = []

    def goes_on(i: int) -> bool:
        asked.append(i)
        return follows[i]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(units_module, "_FEW", few)
        found = table.fork(np.array(names), len(prefix), goes_on)
    assert found == naive([units[i] for i in names], len(prefix), follows)
    assert len(asked) <= len(ARROW)


def prefixes(unit: Tokens) -> list[Tokens]:
    return [(unit + ARROW)[:depth] for depth in range(len(unit) + len(ARROW))]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5))))
def test_spans_are_ranges_one_after_another(ranges: list[tuple[int, int]]) -> None:
    starts = np.array([start for start, _ in ranges], np.int64)
    sizes = np.array([size for _, size in ranges], np.int64)
    found = spans(starts, starts + sizes)
    assert found.tolist() == [i for start, size in ranges for i in range(start, start + size)]
