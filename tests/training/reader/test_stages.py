"""What stages of a training are made of, and what thresholds are fitted on."""

import torch
from groundwalk.training.reader.learning import Plan, blended
from groundwalk.training.reader.made import without_relation
from groundwalk.training.reader.stages import STAGES

GRAPH = """\
<urn:kind> <http://www.w3.org/2000/01/rdf-schema#label> "film" .
<urn:made> <http://www.w3.org/2000/01/rdf-schema#label> "made by" .
<urn:a> <urn:made> <urn:b> .
<urn:a> <urn:near> <urn:made> .
"""


def test_a_graph_lacks_a_relation_with_its_label_and_nothing_else() -> None:
    first, _, _, last = GRAPH.splitlines(keepends=True)
    assert without_relation(GRAPH, "<urn:made>") == first + last


def test_weights_on_the_way_from_some_to_others() -> None:
    first, last = {"a": torch.tensor([0.0, 2.0])}, {"a": torch.tensor([4.0, 2.0])}
    assert blended(first, last, 0.25)["a"].tolist() == [1.0, 2.0]


def test_the_middle_of_a_stage_is_told_of() -> None:
    for stage in STAGES:
        if stage.middle is not None:
            assert stage.middle % Plan().heard == 0
            assert 0 < stage.middle < stage.steps
