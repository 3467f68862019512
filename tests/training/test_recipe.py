from pathlib import Path

import pytest
from groundwalk.training.recipe import Recipe, Size


@pytest.mark.parametrize(("hops", "layers"), [(1, 2), (2, 3), (3, 4), (5, 4)])
def test_few_hops_of_questions_take_few_layers(hops: int, layers: int) -> None:
    assert Recipe(questions=Path("asked.txt")).size_for(hops) == Size(layers=layers)
    assert Recipe(dataset="metaqa").size_for(hops) == Size(layers=layers)


def test_a_model_of_the_graph_alone_and_a_given_size_stay() -> None:
    assert Recipe().size_for(1) == Size()
    given = Size(width=64, layers=6, heads=1)
    assert Recipe(dataset="metaqa", size=given).size_for(1) == given
