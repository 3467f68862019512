"""`groundwalk eval judge`: a chat model's opinion of how coherent the chains are."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from . import options as o


def judge(
    run: Annotated[Path, typer.Argument(metavar="DIR", help="A run directory.")],
    llm: Annotated[
        str,
        typer.Option(
            "--llm", metavar="SPEC", help="The judge: openai:NAME, http://host/v1#NAME or hf:DIR."
        ),
    ],
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="The first N questions of each method.")
    ] = None,
    prompts: o.Prompts = None,
    as_json: o.Json = False,
) -> None:
    """Have a chat model rate, from 1 to 5, the first chain of every answer.

    Ratings are an opinion about relevance, not a check of facts. They are kept
    in DIR/coherence.jsonl; run it again to go on after a stop.
    """
    from ..agent.errors import InputError
    from ..agent.llm.address import describe_llm
    from ..agent.llm.chat import chat_model
    from ..evaluation.coherence import judge as rate
    from ..evaluation.table import print_coherence

    model = chat_model(llm)
    if model is None:
        raise InputError("no judge was named", "give --llm SPEC")
    found = rate(run, model, describe_llm(llm), limit, prompts)
    if as_json:
        typer.echo(json.dumps([asdict(coherence) for coherence in found], ensure_ascii=False))
    else:
        print_coherence(found)
