"""The records that the made-up questions leave behind."""

from groundwalk.agent.errors import GroundwalkError
from groundwalk.evaluation.records import Asked, Record, answered, failed

from .stubs import SAMPLES, stub_answer


def stub_records(method: str = "gcr") -> list[Record]:
    """The records of the samples, as `stub_answer` answers them."""
    asked = Asked("jsonl", "", method)
    found: list[Record] = []
    for sample in SAMPLES:
        try:
            found.append(answered(sample, asked, stub_answer(sample.question), 0.25))
        except GroundwalkError as error:
            found.append(failed(sample, asked, error, 0.25))
    return found
