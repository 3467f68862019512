"""A small byte-level BPE tokenizer of one's own, and the token units of labels."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from ...agent.decoding.units import tokenize, unit_style
from ...agent.decoding.wire import MARKERS, NONE, PATH, PLAN, QUERY, QUERY_MARKERS, TRIPLE, Wire
from ...agent.errors import ModelError
from ...agent.llm.prompt import HEADINGS, Mention, path_prompt
from ...agent.prompting import render

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

EOS = "<eos>"
PAD = "<pad>"
MAX_LENGTH = 1024
"""The longest input that a trained model takes, in tokens."""


def train_tokenizer(
    texts: Iterable[str],
    *,
    kinds: Iterable[str] = (),
    vocabulary: int = 1200,
    queries: bool = False,
) -> "PreTrainedTokenizerFast":
    """Train byte-level BPE with GPT-2's pre-tokenisation; the same texts give the same tokenizer.

    The headings of the prompt and the masks of the class labels `kinds` become tokens of their
    own, which keeps prompts short; with `queries`, so do the markers of queries.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    markers = (*MARKERS, *QUERY_MARKERS) if queries else MARKERS
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # pyright: ignore[reportAttributeAccessIssue]
    backend.decoder = decoders.ByteLevel()  # pyright: ignore[reportAttributeAccessIssue]
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[PAD, EOS, *markers],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    backend.add_tokens([AddedToken(text, normalized=False) for text in headings(queries=queries)])
    values = ("number", "date", "text") if queries else ()
    masks = [f"[{kind or 'entity'}]" for kind in sorted({*kinds, *values, ""})]
    backend.add_tokens([AddedToken(text, normalized=False, lstrip=True) for text in masks])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token=EOS,
        pad_token=PAD,
        additional_special_tokens=list(markers),
        clean_up_tokenization_spaces=False,
        model_max_length=MAX_LENGTH,
    )


def headings(*, queries: bool = False) -> list[str]:
    """The parts of the masked prompt that are the same for every question."""
    sign = "\ufffc"
    prompt = path_prompt(sign, [Mention(0, 1, sign, sign)], masked=True, instruct=False)
    files = [file for wire, file in HEADINGS.items() if queries or wire != QUERY]
    texts = [f"{prompt}\n{render(file)}" for file in files]
    parts = [part for text in texts for part in text.replace(f"[{sign}]", sign).split(sign)]
    return list(dict.fromkeys(part for part in parts if part.strip()))


class Units:
    """The token ids of markers and names, each looked up once.

    A walk is tokenised name by name as the decoder's index does it: the first name as it is, the
    others as they follow an arrow.
    """

    def __init__(self, tokenizer: "PreTrainedTokenizerBase", names: Sequence[str] = ()) -> None:
        """Find how the tokenizer spells walks over `names`. Raises ModelError without markers."""
        self._tokenizer = tokenizer
        self._style = unit_style(tokenizer, names)
        self._seen: dict[str, list[int]] = {}
        self.tags = {wire: self._tags(wire) for wire in (PATH, PLAN, TRIPLE)}
        self.open, self.close = self.tags[PATH]
        self.none = self._marker(NONE)
        self.eos = self._special("eos")
        self.pad = self._special("pad" if tokenizer.pad_token_id is not None else "eos")
        self.arrow = list(self._style.arrow)

    def of(self, name: str) -> list[int]:
        """The token ids of a name at the start of a walk."""
        ids = self._seen.get(name)
        if ids is None:
            ids = self._seen[name] = list(tokenize(self._tokenizer, [name])[0])
        return ids

    def after_arrow(self, name: str) -> list[int]:
        """The token ids of a name after an arrow."""
        return self.of(f"{self._style.lead}{name}")

    def path(self, labels: Sequence[str]) -> list[list[int]]:
        """The units of a path whose escaped labels alternate entity, relation, entity ..."""
        units = list[list[int]]()
        for place, label in enumerate(labels):
            units += [self.arrow, self.after_arrow(label)] if place else [self.of(label)]
        return units

    def _tags(self, wire: Wire) -> tuple[int, int]:
        return self._marker(wire.open), self._marker(wire.close)

    def _marker(self, marker: str) -> int:
        token = cast(Any, self._tokenizer).get_added_vocab().get(marker)
        if token is None:
            raise ModelError(
                f"the marker {marker} is not a token of this tokenizer",
                "train a model with `groundwalk train`, which makes a tokenizer that has it",
            )
        return token

    def _special(self, kind: str) -> int:
        token: Any = getattr(self._tokenizer, f"{kind}_token_id")
        if not isinstance(token, int):
            raise ModelError(f"the tokenizer has no {kind} token", "give another base model")
        return token
