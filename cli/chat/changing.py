"""The commands that change with what questions are answered."""

from dataclasses import fields

from ...agent.options import Options, read_options
from ..options import method_of
from .talk import Talk


def method(talk: Talk, name: str) -> None:
    """Take another method; without a name, list them."""
    if name:
        talk.change(method=name, is_named=True)
        talk.console.print(f"Questions are answered with {name} from now on.")
        return
    from ...graphs import METHODS

    for own, known in METHODS.items():
        mark = "*" if own == talk.wanted.method else " "
        talk.console.print(f"{mark} {own:<9} {known.about}")


def model(talk: Talk, spec: str) -> None:
    """Load another model; without a name, tell which it is."""
    if spec:
        named = {} if talk.wanted.is_named else {"method": method_of(spec)}
        talk.change(model=spec, **named)
    talk.console.print(f"The model is {talk.wanted.model}.")


def llm(talk: Talk, spec: str) -> None:
    """Take another LLM; without a name, tell which it is."""
    from ...agent.llm.address import describe_llm

    if spec:
        talk.change(llm=spec)
    talk.console.print(f"The LLM is {describe_llm(talk.wanted.llm)}.")


def option(talk: Talk, pair: str) -> None:
    """Set an option; without one, tell those that are set."""
    wanted = talk.wanted
    if pair:
        options = read_options([pair], wanted.options)
        talk.change(options=options, pairs=(*wanted.pairs, pair))
        return
    unset = Options()
    values = {own.name: getattr(wanted.options, own.name) for own in fields(Options)}
    for name, value in values.items():
        if value != getattr(unset, name):
            talk.console.print(f"  {name}={value}")
    if wanted.options == unset:
        talk.console.print("No option is set.")
