"""Tests of properties: of a few examples in the quick suite, of many in the slow one."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy


def holds_for(
    *strategies: SearchStrategy[Any], quick: int = 25, slow: int = 100, **named: SearchStrategy[Any]
) -> Callable[[Callable[..., None]], Callable[[int], None]]:
    """A test that draws a function's arguments: `quick` times, and as a slow test `slow` times."""

    def decorate(check: Callable[..., None]) -> Callable[[int], None]:
        @pytest.mark.parametrize("examples", [quick, pytest.param(slow, marks=pytest.mark.slow)])
        def test(examples: int) -> None:
            bounded = settings(
                deadline=None, max_examples=examples, suppress_health_check=[HealthCheck.too_slow]
            )
            bounded(given(*strategies, **named)(check))()

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return decorate
