"""A Ray that does not start. Apart from the tests of one that runs: threads of it outlive them."""

from pathlib import Path
from typing import Any

import pytest
from groundwalk.agent.errors import ServiceError
from groundwalk.evaluation.runner.ray_run import RayActors

from ..crowd import opens_crowd

pytestmark = pytest.mark.slow

ray: Any = pytest.importorskip("ray", reason="needs the extra `ray`")


def test_a_ray_that_does_not_start_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(**_: object) -> None:
        raise TimeoutError("The current node timed out during startup.\nSee the logs.")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", late)
    actors = RayActors(opens_crowd(Path()), 2, "crowd", "")
    with pytest.raises(ServiceError, match="Ray did not start: The current node timed out"), actors:
        pass
