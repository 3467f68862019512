"""Weights of 8 or 4 bits, where the library that makes them is installed."""

from importlib.util import find_spec
from typing import Any

from ..errors import ModelError

QUANTISED = ("8bit", "4bit")
"""What `--dtype` takes for them."""

_LIBRARIES = ("bitsandbytes", "accelerate")


def quantised(dtype: str, device: str) -> dict[str, Any]:
    """What `from_pretrained` needs to load a model onto a device with 8 or 4 bits a weight.

    Raises ModelError where a library that it takes is not installed.
    """
    if missing := [name for name in _LIBRARIES if find_spec(name) is None]:
        needed = " and ".join(missing)
        raise ModelError(f"{dtype}: {needed} is not installed", f"pip install {' '.join(missing)}")
    from transformers import BitsAndBytesConfig

    config: Any = BitsAndBytesConfig(load_in_8bit=dtype == "8bit", load_in_4bit=dtype == "4bit")
    return {"quantization_config": config, "device_map": {"": device}}
