from pathlib import Path

import pytest
from groundwalk.agent.errors import InputError
from groundwalk.training.recipe import Recipe, Size


@pytest.mark.parametrize(("hops", "layers"), [(1, 2), (2, 3), (3, 4), (5, 4)])
def test_few_hops_of_questions_take_few_layers(hops: int, layers: int) -> None:
    assert Recipe(questions=Path("asked.txt")).size_for(hops) == Size(layers=layers)
    assert Recipe(dataset="metaqa").size_for(hops) == Size(layers=layers)


def test_a_model_of_the_graph_alone_and_a_given_size_stay() -> None:
    assert Recipe().size_for(1) == Size()
    given = Size(width=64, layers=6, heads=1)
    assert Recipe(dataset="metaqa", size=given).size_for(1) == given


def test_a_width_comes_with_its_heads_and_leaves_the_layers() -> None:
    assert Recipe(dataset="metaqa", width=128).size_for(1) == Size(width=128, layers=2, heads=2)
    assert Recipe(width=192).size_for(1) == Size()
    with pytest.raises(InputError, match="multiple of 64"):
        Recipe(width=100)
    with pytest.raises(InputError, match="size of a base model"):
        Recipe(width=64, base="some-model")
