"""Whether a loaded model is whole: what libraries load without a word although it is broken."""

import math
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from ..decoding.model import CausalModel, Tokenizer


def unsound(model: "CausalModel", tokenizer: "Tokenizer", missing: Collection[str]) -> str:
    """What is wrong with a model, in words; nothing where all is well.

    `missing` are the weights that the file lacks, which the library made up.
    """
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        return f"the weights lack {min(missing)}{more}, which config.json promises"
    for name, weights in model.named_parameters():
        if weights.is_floating_point() and weights.numel():
            if not all(math.isfinite(own) for own in weights.detach().aminmax()):
                return f"the weights of {name} are no numbers"
    rows = len(cast(Any, model.get_input_embeddings()).weight)
    special = set(tokenizer.all_special_tokens)
    unknown = [t for t, place in tokenizer.get_vocab().items() if place >= rows]
    if unknown and not special.issuperset(unknown):
        return f"the tokenizer has tokens that the model does not know, such as {min(unknown)!r}"
    return _template(tokenizer)


def _template(tokenizer: "Tokenizer") -> str:
    from jinja2 import TemplateSyntaxError

    if not tokenizer.chat_template:
        return ""
    try:
        cast(Any, tokenizer).apply_chat_template([{"role": "user", "content": "?"}], tokenize=False)
    except TemplateSyntaxError as error:
        return f"its chat template cannot be read: {error.message}"
    except Exception:  # what a template refuses of its own accord shows where it is used
        pass
    return ""
