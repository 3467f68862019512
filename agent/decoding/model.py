"""The models and tokenizers that decode: those of transformers, or read without importing it."""

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from tokenizers import AddedToken
    from tokenizers import Tokenizer as Backend
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from .llama import Llama


CausalModel: TypeAlias = "PreTrainedModel | Llama"
Tokenizer: TypeAlias = "PreTrainedTokenizerBase | PlainTokenizer"


class PlainTokenizer:
    """The tokenizer of a model that groundwalk trained, without the library transformers.

    It has those methods of its tokenizers that decoding calls, with the same ids and texts.
    """

    chat_template = None
    is_fast = True

    def __init__(self, backend: "Backend", special: Sequence[str], eos: str, pad: str) -> None:
        """`special` are the special tokens, `eos` and `pad` among them."""
        self.backend_tokenizer = backend
        self.all_special_tokens = list(special)
        self.all_special_ids = [self._id(token) for token in special]
        self.eos_token_id = self._id(eos)
        self.pad_token_id = self._id(pad)
        self._splitting = Lock()

    def __call__(
        self,
        text: str | list[str],
        *,
        add_special_tokens: bool = True,
        split_special_tokens: bool = False,
    ) -> dict[str, Any]:
        """The token ids of a text, or of each of several, as `input_ids`.

        With `split_special_tokens` a text that looks like a special token is only text.
        """
        texts = [text] if isinstance(text, str) else text
        backend = self.backend_tokenizer
        with self._splitting:  # which is set on the backend that all threads share
            backend.encode_special_tokens = split_special_tokens
            encoded = backend.encode_batch(texts, add_special_tokens=add_special_tokens)
        ids = [each.ids for each in encoded]
        return {"input_ids": ids[0] if isinstance(text, str) else ids}

    def decode(self, token_ids: Sequence[int], skip_special_tokens: bool = False) -> str:
        """The text of tokens."""
        return self.backend_tokenizer.decode(
            list(token_ids), skip_special_tokens=skip_special_tokens
        )

    def get_vocab(self) -> dict[str, int]:
        """The id of every token."""
        return self.backend_tokenizer.get_vocab(with_added_tokens=True)

    @property
    def added_tokens_decoder(self) -> "dict[int, AddedToken]":
        """The tokens that are found in a text before it is split, special or not, by id."""
        return self.backend_tokenizer.get_added_tokens_decoder()

    def get_added_vocab(self) -> dict[str, int]:
        """The ids of these tokens."""
        return {token.content: number for number, token in self.added_tokens_decoder.items()}

    def _id(self, token: str) -> int:
        number = self.backend_tokenizer.token_to_id(token)
        if number is None:
            raise ValueError(f"there is no token {token}")
        return number
