from collections.abc import Iterator

import pytest

from .endpoint import Endpoint


@pytest.fixture(scope="session")
def running() -> Iterator[Endpoint]:
    with Endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(running: Endpoint) -> Endpoint:
    running.reset()
    return running
