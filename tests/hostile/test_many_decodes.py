"""Whatever random models write over random hostile graphs is there, a hundred thousand times."""

import pytest

from .decodes import decode


@pytest.mark.long
@pytest.mark.slow
def test_a_hundred_thousand_decodes() -> None:
    found = decode(100_000, seed=1)
    assert found.decodes >= 100_000
    assert (found.unsupported, found.denied) == (0, 0)
