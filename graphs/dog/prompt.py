"""How a local model is asked for a chain: as groundwalk trained it, or as DoG asks any (Tab. 6).

A model that groundwalk trained writes nothing but triples. Any other is shown triples of the graph
and three examples, and writes what it makes of each triple as it goes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os.path import commonprefix
from pathlib import Path as Folder
from typing import Any, cast

from ...agent.decoding.model import Tokenizer
from ...agent.decoding.units import wire_tokens
from ...agent.decoding.wire import MARKERS, TRIPLE, Wire
from ...agent.errors import ConstraintError
from ...agent.llm.free_text import ends_of
from ...agent.llm.local import LocalModel
from ...agent.llm.model_folder import ModelSettings
from ...prompts import render
from ..ground import Shared

PLAIN = Wire("<", ">")
"""What encloses a triple where the tokenizer has no tags for it, as in the paper; no escaped name
holds either of them."""


def is_trained(settings: ModelSettings) -> bool:
    """Whether a model writes bare chains, without being shown the graph."""
    return settings.masked or "chain" in settings.formats


@dataclass(frozen=True)
class ChainPrompt:
    """The prompts of a model that reads the triples of the graph; for one model and process."""

    local: LocalModel
    prompts: Folder | None = None

    @cached_property
    def wire(self) -> Wire:
        """The tags that it is shown, each of which is one token."""
        added = _added(self.local.tokenizer)
        return TRIPLE if TRIPLE.open in added and TRIPLE.close in added else PLAIN

    @cached_property
    def tags(self) -> tuple[int, int]:
        """The tokens of the tags. Raises ConstraintError where they are none."""
        if self.wire == TRIPLE:
            return wire_tokens(self.local.tokenizer, TRIPLE)
        tokenizer = self.local.tokenizer
        opening, closing = (_last(tokenizer, text) for text in ("1. <", "a>"))
        said = (str(tokenizer.decode([token])).strip() for token in (opening, closing))
        if tuple(said) != (PLAIN.open, PLAIN.close):
            raise ConstraintError(
                f"the model's tokenizer has no token {TRIPLE.open}, and none that is < alone",
                "use a model whose tokenizer has either",
            )
        return opening, closing

    @cached_property
    def ends(self) -> frozenset[int]:
        """The tokens that end a text."""
        return ends_of(self.local)

    @cached_property
    def banned(self) -> frozenset[int]:
        """The tokens that free text may not hold: other formats' tags and a closing tag."""
        added = _added(self.local.tokenizer)
        tags = {added[marker] for marker in MARKERS if marker in added}
        return frozenset({*tags, self.tags[1]} - {self.tags[0]})

    @cached_property
    def shared(self) -> int:
        """How many of a prompt's first tokens all of them share: instruction and examples."""
        return len(commonprefix([self.tokens("a", []), self.tokens("?", ["x"])]))

    def tokens(self, question: str, triples: Sequence[str]) -> list[int]:
        """The prompt with some triples, each spelled on a line, up to where the chain begins."""
        tokenizer = self.local.tokenizer
        prompt = render(
            "dog/chain.jinja",
            self.prompts,
            question=question,
            triples=triples,
            open=self.wire.open,
            close=self.wire.close,
        )
        text = f"{prompt}\n"
        if tokenizer.chat_template:
            message = [{"role": "user", "content": prompt}]
            text = cast(Any, tokenizer).apply_chat_template(
                message, tokenize=False, add_generation_prompt=True
            )
        text = f"{text}{render('dog/chain_prefix.jinja', self.prompts)}"
        return list(tokenizer(text, add_special_tokens=not tokenizer.chat_template)["input_ids"])


def chain_prompt(shared: Shared) -> ChainPrompt:
    """The prompts of the local model of a compiled graph."""
    return ChainPrompt(shared.parts.generator(), shared.parts.prompts)


def _added(tokenizer: Tokenizer) -> dict[str, int]:
    return cast(Any, tokenizer).get_added_vocab()


def _last(tokenizer: Tokenizer, text: str) -> int:
    return list[int](tokenizer(text, add_special_tokens=False)["input_ids"])[-1]
