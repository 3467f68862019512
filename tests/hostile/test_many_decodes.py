"""Whatever random models write over random hostile graphs is there, a hundred thousand times."""

import pytest

from .decodes import decode

_DECODES = 25_000


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
def test_a_hundred_thousand_decodes(seed: int) -> None:
    found = decode(_DECODES, seed)
    assert found.decodes >= _DECODES
    assert (found.unsupported, found.denied) == (0, 0)
