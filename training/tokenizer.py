"""A small byte-level BPE tokenizer of one's own, and the token units of labels."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..agent.decoding.wire import ARROW, MARKERS, NONE, PATH, PLAN, TRIPLE, Wire
from ..agent.errors import ModelError
from ..agent.llm.prompt import HEADINGS, Mention, path_prompt
from ..agent.prompting import render

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase, PreTrainedTokenizerFast

EOS = "<eos>"
PAD = "<pad>"
MAX_LENGTH = 1024
"""The longest input that a trained model takes, in tokens."""


def train_tokenizer(
    texts: Iterable[str], *, kinds: Iterable[str] = (), vocabulary: int = 1200
) -> "PreTrainedTokenizerFast":
    """Train byte-level BPE with GPT-2's pre-tokenisation; the same texts give the same tokenizer.

    The headings of the prompt and the masks of the class labels `kinds` become tokens of their
    own, which keeps prompts short.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # pyright: ignore[reportAttributeAccessIssue]
    backend.decoder = decoders.ByteLevel()  # pyright: ignore[reportAttributeAccessIssue]
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[PAD, EOS, *MARKERS],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    backend.add_tokens([AddedToken(text, normalized=False) for text in headings()])
    masks = [f"[{kind or 'entity'}]" for kind in sorted({*kinds, ""})]
    backend.add_tokens([AddedToken(text, normalized=False, lstrip=True) for text in masks])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token=EOS,
        pad_token=PAD,
        additional_special_tokens=list(MARKERS),
        clean_up_tokenization_spaces=False,
        model_max_length=MAX_LENGTH,
    )


def headings() -> list[str]:
    """The parts of the masked prompt that are the same for every question."""
    sign = "\ufffc"
    prompt = path_prompt(sign, [Mention(0, 1, sign, sign)], masked=True, instruct=False)
    texts = [f"{prompt}\n{render(heading)}" for heading in HEADINGS.values()]
    parts = [part for text in texts for part in text.replace(f"[{sign}]", sign).split(sign)]
    return list(dict.fromkeys(part for part in parts if part.strip()))


class Units:
    """The token ids of markers and labels, each looked up once.

    A path is tokenised unit by unit: the first entity as it is, every other label and every arrow
    with a leading space. For byte-level BPE this equals tokenising the whole text.
    """

    def __init__(self, tokenizer: "PreTrainedTokenizerBase") -> None:
        self._tokenizer = tokenizer
        self._seen: dict[str, list[int]] = {}
        self.tags = {wire: self._tags(wire) for wire in (PATH, PLAN, TRIPLE)}
        self.open, self.close = self.tags[PATH]
        self.none = self._one(NONE)
        self.eos = self._one(EOS)
        self.pad = self._one(PAD)
        self.arrow = self.of(ARROW)

    def of(self, text: str) -> list[int]:
        """The token ids of a unit, spaces included."""
        ids = self._seen.get(text)
        if ids is None:
            ids = list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
            self._seen[text] = ids
        return ids

    def path(self, labels: Sequence[str]) -> list[list[int]]:
        """The units of a path whose escaped labels alternate entity, relation, entity ..."""
        units = list[list[int]]()
        for place, label in enumerate(labels):
            units += [self.arrow, self.of(f" {label}")] if place else [self.of(label)]
        return units

    def _tags(self, wire: Wire) -> tuple[int, int]:
        return self._one(wire.open), self._one(wire.close)

    def _one(self, marker: str) -> int:
        ids = list(self._tokenizer(marker, add_special_tokens=False)["input_ids"])
        if len(ids) != 1:
            raise ModelError(
                f"the marker {marker} is {len(ids)} tokens of this tokenizer",
                "train a model with `groundwalk train`, which makes a tokenizer that has it",
            )
        return ids[0]
