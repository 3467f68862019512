import pytest
from groundwalk.agent.conversation.wording import stem, stems


@pytest.mark.parametrize(
    "words",
    [
        ("border", "borders", "bordering", "bordered"),
        ("direct", "directs", "directed", "directing"),
        ("city", "cities"),
        ("use", "uses"),
    ],
)
def test_forms_of_a_word_have_one_stem(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


def test_different_words_stay_different() -> None:
    assert not stems("capital") & stems("currency borders country city language river")
