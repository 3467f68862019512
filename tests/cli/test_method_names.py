"""A method that there is not is refused at once: before anything large is imported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .test_cli import assert_one_line_error, groundwalk

CODE = """
import sys
from groundwalk.cli.main import main
try:
    main()
finally:
    print(*sorted({"torch", "langgraph", "langchain_core", "transformers"} & sys.modules.keys()))
"""


@pytest.mark.parametrize(
    "words",
    [
        ("ask", "Who?", "--method", "plam"),
        ("chat", "--method", "plam"),
        ("eval", "run", "--dataset", "world", "--out", "run", "--method", "gcr,plam"),
        ("graph", "plam"),
    ],
)
def test_another_name_is_refused_before_large_imports(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", CODE, *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"GROUNDWALK_CACHE": str(tmp_path)},
        timeout=600,
    )
    assert_one_line_error(run, 2, "there is no method 'plam'", "did you mean plan?", "lookup")
    assert run.stdout == "\n"


def test_so_is_one_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("GROUNDWALK_METHOD=nonsense\n", encoding="utf-8")
    for words in (("ask", "Who?"), ("chat",), ("eval", "run", "--dataset", "world", "--out", "r")):
        run = groundwalk(tmp_path, *words)
        assert_one_line_error(run, 2, "there is no method 'nonsense' (methods: gcr, query, dog, ")
