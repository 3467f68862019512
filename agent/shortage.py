"""What Python and PyTorch raise where memory runs out."""

import re

_SAID = re.compile(r"out of memory|(?:can't|cannot) allocate memory|not enough memory", re.I)


def is_shortage(error: BaseException) -> bool:
    """Whether an error says that there is too little memory: of the machine, or of a device."""
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and _SAID.search(str(error)) is not None
