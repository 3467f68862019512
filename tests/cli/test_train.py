"""`groundwalk train`: how torch waits for its threads, which it decides when it is imported."""

import os
import subprocess
import sys

import pytest

_SCRIPT = """
import os, sys
import groundwalk.cli.main
import groundwalk.cli.train as command
print("torch" in sys.modules)
import groundwalk.training.progress as progress
def before(console):
    print(os.environ["OMP_WAIT_POLICY"])
    raise SystemExit(0)
progress.show_progress = before
from pathlib import Path
command.train(Path("model"))
"""


@pytest.mark.parametrize(("given", "policy"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "A"}, "A")])
def test_threads_do_not_spin_unless_the_user_says_so(given: dict[str, str], policy: str) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        env=kept | given,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", policy]
