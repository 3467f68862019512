"""What decodes: a model of the library transformers, or one that is read without importing it."""

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from .llama import Llama
    from .plain_tokenizer import PlainTokenizer

CausalModel: TypeAlias = "PreTrainedModel | Llama"
Tokenizer: TypeAlias = "PreTrainedTokenizerBase | PlainTokenizer"
