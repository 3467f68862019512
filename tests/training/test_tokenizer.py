import pytest
from groundwalk.agent.decoding.wire import MARKERS, escape
from groundwalk.agent.llm.prompt import Mention, path_prompt, path_tokens
from groundwalk.training.encoder import Encoder, Units
from groundwalk.training.questions.questioner import Sample
from groundwalk.training.trainer.scratch import train_tokenizer
from transformers import PreTrainedTokenizerFast

from .test_graph import moves
from .toy import iri, toy_graph

NAMES = [
    "Côte d'Ivoire",
    "São Tomé",
    "東京",
    "St. John's",
    "A -> B",
    "<b>",
    "(x) [y]",
    "10 %",
    "^x",
]


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    texts = ["what is the capital of [country]", "borders official language France Spain"] * 20
    return train_tokenizer(texts, kinds=["country"], vocabulary=420)


def test_markers_are_single_tokens(tokenizer: PreTrainedTokenizerFast) -> None:
    for marker in MARKERS:
        assert len(tokenizer(marker)["input_ids"]) == 1


def test_units_of_a_path_are_the_tokens_of_its_text(tokenizer: PreTrainedTokenizerFast) -> None:
    units = Units(tokenizer)
    for name in map(escape, NAMES):
        labels = [name, "^official language", name, "borders", "Spain"]
        ids = list(units.of(name))
        for label in labels[1:]:
            ids += [*units.arrow, *units.after_arrow(label)]
        text = " -> ".join(labels)
        assert ids == tokenizer(text)["input_ids"]
        whole = tokenizer(f"<PATH>{text}</PATH>")["input_ids"]
        assert whole == [units.open, *ids, units.close]


def test_headings_and_masks_are_single_tokens(tokenizer: PreTrainedTokenizerFast) -> None:
    prompt = path_prompt("Spain?", [Mention(0, 5, "Spain", "country")], masked=True, instruct=False)
    assert len(path_tokens(tokenizer, prompt)) == 5


def test_the_loss_is_on_the_completion(tokenizer: PreTrainedTokenizerFast) -> None:
    graph = toy_graph()
    encoder = Encoder(graph, tokenizer, entity_weight=0.1)
    walk = tuple(graph.by_term[iri(name)] for name in ("france", "spain", "madrid"))
    mention = Mention(11, 17, "France", "country")
    sample = Sample("capital by France", (mention,), walk, moves(graph, "borders", "capital"))
    encoded = encoder.encode(sample)
    text = str(tokenizer.decode(encoded.ids, skip_special_tokens=False))
    assert text.endswith("<PATH>France -> borders -> Spain -> capital -> Madrid</PATH><eos>")
    start = encoded.ids.index(encoder.units.open)
    assert not any(encoded.weights[:start])
    assert encoded.weights[start] == 1
    assert {0.0, 0.1, 1.0} == set(encoded.weights)
    refused = encoder.encode(sample._replace(moves=None))
    assert refused.ids[-2:] == [encoder.units.none, encoder.units.eos]
