"""What a first answer imports: libraries that it does not need would cost seconds, unseen."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "accelerate",
    "bm25s",
    "datasets",
    "huggingface_hub",
    "langchain_huggingface",
    "langchain_openai",
    "openai",
    "pandas",
    "peft",
    "rdflib",
    "scipy",
    "sentence_transformers",
    "sklearn",
    "sympy",
    "tiktoken",
    "torch._dynamo",
    "torch._inductor",
    "torch.distributed.tensor",
    "transformers",
}
"""Libraries, and parts of them, that come into play for other models, methods and graphs."""
OTHERS = {f"groundwalk.graphs.{name}" for name in ("dog", "tog", "tot", "cot", "retrieve", "rog")}

ASKING = """
import json, sys
from groundwalk.cli.main import main
try:
    main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
QUESTION = "What is the capital of Austria?"


@pytest.mark.parametrize(
    ("arguments", "said"), [(["ask", "-q", QUESTION], ""), (["chat"], f"{QUESTION}\n")]
)
def test_a_first_answer_imports_what_it_needs(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("GROUNDWALK_")}
    done = subprocess.run(
        [sys.executable, "-c", ASKING, *arguments],
        input=said,
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**own, "GROUNDWALK_CACHE": str(tmp_path / "cache")},
    )
    assert "Vienna" in done.stdout
    modules = set(json.loads(done.stderr.splitlines()[-1]))
    assert "groundwalk.graphs.gcr" in modules
    assert not modules & (HEAVY | OTHERS)
