"""What answers belong to, such as the countries of capitals, where that tells them apart."""

from collections.abc import Sequence

from ..agent.records import Answer, Named


def belongings(answers: Sequence[Answer]) -> list[list[Named]]:
    """For each answer what it belongs to, without what all of them do.

    Empty lists where there is nothing to tell: of each answer, or of none.
    """
    of = [{named["term"]: named for named in answer.get("of", [])} for answer in answers]
    common = set(of[0]).intersection(*of[1:]) if of else set[str]()
    apart = [
        sorted((own[term] for term in own if term not in common), key=lambda named: named["label"])
        for own in of
    ]
    return apart if all(apart) else [[] for _ in answers]
