"""MetaQA questions by template and type, so that some can be kept out of a training."""

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from random import Random

from ..readers import read_samples
from ..samples import Sample
from ..split import part

Wanted = Callable[[Sample], bool]


def template(sample: Sample) -> str:
    """The wording of a question, whatever its topics are."""
    text = sample.question
    for topic in sample.topics:
        text = text.replace(f"[{topic}]", "[]")
    return text


def held_template(sample: Sample) -> bool:
    """Whether a question's template is among the 40% that are held out."""
    return int(sha256(template(sample).encode()).hexdigest(), 16) % 10 < 4


def held_types(samples: Iterable[Sample], count: int, seed: int = 0) -> frozenset[str]:
    """The types that are held out: so many of all, drawn by seed."""
    types = sorted({sample.type for sample in samples})
    return frozenset(Random(seed).sample(types, count))


def write_questions(
    data: Path, split: str, of: str, file: Path, wanted: Wanted, limit: int | None, seed: int = 0
) -> int:
    """Write the wanted questions of one part of a MetaQA split as JSON lines; how many there are.

    At most `limit`, drawn by seed.
    """
    chosen = [s for s in read_samples("metaqa", data, split) if part(s.question) == of]
    chosen = [sample for sample in chosen if wanted(sample)]
    if limit is not None and limit < len(chosen):
        chosen = [chosen[i] for i in sorted(Random(seed).sample(range(len(chosen)), limit))]
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps(
            {
                "id": sample.id,
                "question": sample.question,
                "topics": list(sample.topics),
                "answers": [gold.label for gold in sample.answers],
                "hops": sample.hops,
                "type": sample.type,
            },
            ensure_ascii=False,
        )
        for sample in chosen
    ]
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return len(lines)
