"""Calibration against worked examples, and against counting threshold by threshold."""

import pytest
from groundwalk.evaluation.analysis.calibration import Bin, Calibration, Point, calibrate
from groundwalk.evaluation.records import Asked, Record, answered
from groundwalk.evaluation.samples import Gold, Sample
from hypothesis import given
from hypothesis import strategies as st

from ..stubs import proven, says


def record(confidence: float, right: bool | None, *, silent: bool = False) -> Record:
    """An answer that is right or wrong; None for a question that has no answer."""
    sample = Sample("1", "q", () if right is None else (Gold(label="Lima"),))
    state = says() if silent else says(proven("Lima" if right else "Oslo"))
    state["confidence"] = confidence
    return answered(sample, Asked("d", "s", "gcr"), state, 0.1)


def found(*records: Record) -> Calibration:
    calibration = calibrate(records)
    assert calibration is not None
    return calibration


def test_by_hand() -> None:
    calibration = found(
        record(0.95, True),
        record(0.91, True),
        record(0.55, False),
        record(0.25, None),
        record(0.15, True, silent=True),
        record(0.99, None, silent=True),
    )
    assert (calibration.questions, calibration.answered) == (6, 4)
    assert [(b.low, b.high, b.questions) for b in calibration.bins] == [
        (0.2, 0.3, 1),
        (0.5, 0.6, 1),
        (0.9, 1.0, 2),
    ]
    assert calibration.bins[2].confidence == pytest.approx(0.93)
    assert calibration.bins[2].right == 1
    assert calibration.expected_error == pytest.approx((0.25 + 0.55 + 2 * 0.07) / 4)
    assert calibration.curve == [
        Point(0.95, 1 / 6, 0),
        Point(0.91, 2 / 6, 0),
        Point(0.55, 3 / 6, 1 / 3),
        Point(0.25, 4 / 6, 2 / 4),
    ]
    assert calibration.area == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)


def test_silence_has_no_calibration() -> None:
    assert calibrate([record(0.5, True, silent=True)]) is None


def test_a_confidence_of_one_is_in_the_last_bin() -> None:
    assert found(record(1.0, True)).bins == [Bin(0.9, 1.0, 1, 1.0, 1.0)]


def test_knowing_nothing_is_a_flat_curve() -> None:
    calibration = found(*[record(0.5, i % 4 != 0) for i in range(40)])
    assert calibration.curve == [Point(0.5, 1.0, 0.25)]
    assert calibration.area == pytest.approx(0.25)


def test_a_curve_of_many_thresholds_is_thinned_and_keeps_its_end() -> None:
    calibration = found(*[record(i / 1000, i > 300) for i in range(1000)])
    assert len(calibration.curve) <= 101
    assert calibration.curve[0].coverage == 1 / 1000
    assert calibration.curve[-1] == Point(0.0, 1.0, 0.301)


ANSWERS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0]), st.sampled_from([True, False, None])),
    min_size=1,
    max_size=12,
)


@given(ANSWERS, st.integers(0, 3))
def test_each_point_is_what_its_threshold_would_do(
    answers: list[tuple[float, bool | None]], silent: int
) -> None:
    records = [record(c, right) for c, right in answers]
    calibration = found(*records, *[record(0.9, True, silent=True)] * silent)
    assert {p.threshold for p in calibration.curve} == {c for c, _ in answers}
    for point in calibration.curve:
        kept = [right for c, right in answers if c >= point.threshold]
        assert point.coverage == pytest.approx(len(kept) / (len(answers) + silent))
        assert point.risk == pytest.approx(sum(not right for right in kept) / len(kept))
    wrong = sum(not right for _, right in answers) / len(answers)
    assert calibration.curve[-1].risk == pytest.approx(wrong)
    assert found(*records[::-1]).area == pytest.approx(found(*records).area)
