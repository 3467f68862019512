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
├── ShortageError         3  a question that needs more memory than there is
└── BusyError             3  a question that came while too many waited

In a service those who ask cannot mend a KGError, a ModelError or a DatasetError: its operator can.
"""

import errno
import os
import re


class GroundwalkError(Exception):
    """The base of all errors: one line that says what is wrong, and a hint that says what to do.

    >>> error = InputError("the file is empty", "name another")
    >>> error.message, error.hint, error.code, error.exit_code
    ('the file is empty', 'name another', 'input', 2)
    """

    code = "error"
    exit_code = 4

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def with_hint(self) -> str:
        """The message, and the hint in brackets."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InputError(GroundwalkError):
    """What the user gave is wrong; nothing was run.

    >>> Options(inverse="no")
    Traceback (most recent call last):
        ...
    groundwalk.agent.errors.InputError: the option inverse cannot be 'no': ...
    """

    code = "input"
    exit_code = 2


class KGError(InputError):
    """A knowledge graph that is missing, malformed (the message names the line) or empty.

    >>> open_kg("nowhere.ttl")
    Traceback (most recent call last):
        ...
    groundwalk.agent.errors.KGError: nowhere.ttl: no such file or folder
    """

    code = "kg"


class QuestionError(InputError):
    """A question that is empty, too long or not text; or a reply where nothing is asked.

    >>> build_graph().invoke({"question": " "})
    Traceback (most recent call last):
        ...
    groundwalk.agent.errors.QuestionError: the question is empty...
    """

    code = "question"


class ModelError(InputError):
    """A model that is missing, incomplete or not a causal language model.

    >>> build_graph(generator="/nowhere")
    Traceback (most recent call last):
        ...
    groundwalk.agent.errors.ModelError: /nowhere: there is no such model folder
    """

    code = "model"


class DatasetError(InputError):
    """A question file or dataset folder that cannot be read.

    >>> file = Options(retrieved="nowhere.jsonl")
    >>> build_graph("paths").invoke({"question": "What is the capital of Kenya?"}, context=file)
    Traceback (most recent call last):
        ...
    groundwalk.agent.errors.DatasetError: nowhere.jsonl: cannot be read ...
    """

    code = "dataset"


class ConstraintError(GroundwalkError):
    """A constraint that cannot be applied. There is no fallback to free text.

    >>> NoPathError("no path leads on").exit_code == ConstraintError.exit_code
    True
    """

    code = "constraint"
    exit_code = 2


class NoPathError(ConstraintError):
    """The graph holds no path from the topic entities under the given limits.

    >>> issubclass(NoPathError, ConstraintError)
    True
    """

    code = "no_path"


class ServiceError(GroundwalkError):
    """A store or model over the network did not answer.

    >>> try:
    ...     open_kg("http://127.0.0.1:9/sparql")
    ... except ServiceError as error:
    ...     print(error.exit_code)
    3
    """

    code = "service"
    exit_code = 3


class UnavailableError(ServiceError):
    """A service that is not there, cannot answer now, or does not answer in time.

    >>> open_kg("http://127.0.0.1:9/sparql")
    Traceback (most recent call last):
        ...
    groundwalk.agent.errors.UnavailableError: http://127.0.0.1:9/sparql did not answer: ...
    """


class RefusedError(ServiceError):
    """A service that does not take the very question that it was asked; it may take others.

    >>> issubclass(RefusedError, ServiceError)
    True
    """


class DiskError(GroundwalkError):
    """A disk that is full, or does not take what is written; the same may succeed later.

    >>> issubclass(DiskError, InputError)  # nobody gave anything wrong
    False
    """

    code = "disk"
    exit_code = 3


class ShortageError(GroundwalkError):
    """A question that needs more memory than there is; a smaller one may be answered.

    >>> ShortageError("not enough memory", "ask with fewer beams").code
    'memory'
    """

    code = "memory"
    exit_code = 3


class BusyError(GroundwalkError):
    """Too many questions wait already; `seconds` is how long one that waits will, as far as known.

    >>> BusyError("100 questions are waiting already", "ask again later", 7.5).seconds
    7.5
    """

    code = "busy"
    exit_code = 3

    def __init__(self, message: str, hint: str = "", seconds: float = 0.0) -> None:
        super().__init__(message, hint)
        self.seconds = seconds


def unwritable(file: os.PathLike[str], error: OSError) -> DiskError | InputError:
    """What to raise for a file that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskError(f"{file}: cannot be written: the disk is full", "make room")
    return InputError(f"{file}: cannot be written: {error.strerror}", "check it")


_SHORTAGE = re.compile(r"out of memory|(?:can't|cannot) allocate memory|not enough memory", re.I)


def is_shortage(error: BaseException) -> bool:
    """Whether an error says that there is too little memory: of the machine, or of a device."""
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and _SHORTAGE.search(str(error)) is not None
