"""What is asked of a source that is left out was learnt by nobody."""

import torch
from groundwalk.agent.query.actions import Action
from groundwalk.agent.query.prompt import Numbered
from groundwalk.agent.reader.lexicon import Lexicon, words_of
from groundwalk.evaluation.benchmarks.left_out import align, family_of, labels_right, parted
from groundwalk.training.reader.batches import Batcher
from groundwalk.training.reader.composed import COMPOSED
from groundwalk.training.reader.examples import Example, with_words
from groundwalk.training.reader.pools import PLAIN, pools_of

RELATIONS = ("author", "publisher", "colour", "owner", "height")


def asked(source: str, thing: str, relation: str, manner: str) -> Example:
    question = f"{manner} what is the {relation} of {thing}"
    start = question.index(thing)
    words = words_of(question, [Numbered(start, len(question), "")])
    actions = (Action("pointer", number=0), Action("step", relation), Action("end"))
    return with_words("toy", source, words, actions)


EXAMPLES = {
    source: [
        asked(source, f"{source} thing", relation, "please " * times)
        for relation in RELATIONS
        for times in range(8)
    ]
    for source in ("flexkbqa", "flexkbqa-kqapro", "spider", COMPOSED)
}


def texts(several: list[Example]) -> set[str]:
    return {" ".join(word.text for word in own.words if word.mention is None) for own in several}


def test_sources_with_the_same_questions_are_left_out_together() -> None:
    assert family_of("simplequestions-wikidata-twins") == family_of("simplequestions")
    assert family_of("flexkbqa-kqapro") == "flexkbqa"
    assert family_of("spider") == "spider"


def test_nothing_that_is_asked_is_learnt_about_whatever_thing() -> None:
    learnt, questions = parted(EXAMPLES)
    assert set(questions) == {"flexkbqa", "spider"}
    assert set(learnt) == set(EXAMPLES) - {COMPOSED}
    assert len(questions["flexkbqa"]) == 20
    known = texts([own for several in learnt.values() for own in several])
    wanted = texts([own for several in questions.values() for own in several])
    assert known and wanted and not known & wanted


def test_the_aligner_takes_the_label_that_the_question_says() -> None:
    several = EXAMPLES["spider"]
    batcher = Batcher(Lexicon(), pools_of(several, {}), PLAIN)
    assert labels_right(align, batcher, several) == 100.0
    first = labels_right(lambda batch: torch.zeros(1, 1, batch.ways.shape[1]), batcher, several)
    assert first < 100.0
