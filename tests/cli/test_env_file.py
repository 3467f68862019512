"""A broken `.env` ends every command in a line: no question goes to another graph than meant."""

from pathlib import Path

import pytest

from .test_cli import assert_one_line_error, groundwalk


@pytest.mark.parametrize(
    "words",
    [
        ("ask", "What is the capital of France?"),
        ("chat",),
        ("kg", "info"),
        ("train", "--out", "model"),
        ("eval", "run", "--dataset", "world", "--out", "run"),
    ],
)
def test_an_unclosed_quote(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / ".env").write_text('GROUNDWALK_KG="secret.ttl\n', encoding="utf-8")
    run = groundwalk(tmp_path, *words)
    assert_one_line_error(run, 2, ".env, line 1: a quoted value does not end where its line does")
    assert len(run.stderr.splitlines()) == 1 and "secret" not in run.stderr + run.stdout
