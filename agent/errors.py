"""Every error that groundwalk raises on purpose, and the exit code that it ends in.

GroundwalkError
├── InputError            2  what the user gave is wrong
│   ├── KGError              a knowledge graph that cannot be read, is malformed or empty
│   ├── QuestionError        an empty, oversized or otherwise unusable question
│   ├── ModelError           a model folder that is incomplete or does not load
│   └── DatasetError         a question file or dataset folder that cannot be read
├── ConstraintError       2  a constraint that cannot be applied to this model or graph
│   └── NoPathError          the graph holds no path from the topic entities
├── ServiceError          3  a store or a language model over the network did not answer
│   ├── UnavailableError     one that is down, overloaded or too slow: what its circuit counts
│   └── RefusedError         one that does not take this very question, and may take others
├── DiskError             3  a disk that is full, or does not take what is written
└── ShortageError         3  a question that needs more memory than there is
"""


class GroundwalkError(Exception):
    """The base of all errors: one line that says what is wrong, and a hint that says what to do."""

    code = "error"
    exit_code = 4

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(GroundwalkError):
    """What the user gave is wrong; nothing was run."""

    code = "input"
    exit_code = 2


class KGError(InputError):
    """A knowledge graph that is missing, malformed (the message names the line) or empty."""

    code = "kg"


class QuestionError(InputError):
    """A question that is empty, too long or not text."""

    code = "question"


class ModelError(InputError):
    """A model that is missing, incomplete or not a causal language model."""

    code = "model"


class DatasetError(InputError):
    """A question file or dataset folder that cannot be read."""

    code = "dataset"


class ConstraintError(GroundwalkError):
    """A constraint that cannot be applied. There is no fallback to free text."""

    code = "constraint"
    exit_code = 2


class NoPathError(ConstraintError):
    """The graph holds no path from the topic entities under the given limits."""

    code = "no_path"


class ServiceError(GroundwalkError):
    """A store or model over the network did not answer."""

    code = "service"
    exit_code = 3


class UnavailableError(ServiceError):
    """A service that is not there, cannot answer now, or does not answer in time."""


class RefusedError(ServiceError):
    """A service that does not take the very question that it was asked; it may take others."""


class DiskError(GroundwalkError):
    """A disk that is full, or does not take what is written; the same may succeed later."""

    code = "disk"
    exit_code = 3


class ShortageError(GroundwalkError):
    """A question that needs more memory than there is; a smaller one may be answered."""

    code = "memory"
    exit_code = 3
