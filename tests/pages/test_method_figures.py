"""The headline figures of a model: majority rate and AUC stand beside accuracy."""

from dataclasses import replace

import numpy as np

from tacit.adoption.evidence.comparison import compare
from tacit.adoption.evidence.figures import HeldOut
from tacit.adoption.evidence.receiver_evidence import MethodFigures, method_figures
from tacit.pages.charts import percent
from tacit.pages.method_figures import NEARLY_EQUAL, headline_figures, methods_part

TRUTH = np.array([0] * 14 + [1] * 6)
BOTH = compare(TRUTH, target_only=np.zeros(20, int), adopted=TRUTH, classes=("no", "yes"))


def figures_of(name: str, scores: np.ndarray) -> MethodFigures:
    probabilities = np.column_stack([1 - scores, scores])
    return method_figures(name, HeldOut(probabilities[None], np.zeros((1, 20), dtype=np.intp)), TRUTH)


def test_the_majority_rate_stands_beside_both_accuracies() -> None:
    text = str(headline_figures(BOTH, (), 20, 5))
    assert f"<b>{percent(0.7)}</b><span>of the rows are of the commonest class" in text
    assert f"<b>{percent(1.0)}</b>" in text
    assert "AUC" not in text


def test_auc_is_named_where_probabilities_are_known() -> None:
    ranked = np.linspace(0.1, 0.9, 20)
    methods = (figures_of("alone", ranked[::-1]), figures_of("adopted", ranked))
    text = str(headline_figures(BOTH, methods, 20, 5))
    assert "<b>1.000</b><span>AUC with what was adopted, 0.000 with your labels alone" in text
    assert "0.000 with your labels" not in str(headline_figures(BOTH, methods[1:], 20, 5))


def test_an_area_that_cannot_be_measured_is_left_out() -> None:
    unknown = replace(figures_of("adopted", np.linspace(0.1, 0.9, 20)), area=None)
    assert "AUC" not in str(headline_figures(BOTH, (unknown,), 20, 5))
    assert "<td>–</td>" in str(methods_part((unknown,)))


def test_a_majority_that_is_right_in_less_than_half_of_the_rows_is_explained() -> None:
    rare, common = figures_of("majority", np.full(20, 0.9)), figures_of("majority", np.full(20, 0.1))
    assert rare.accuracy.value < 0.5 < common.accuracy.value
    assert NEARLY_EQUAL in str(methods_part((rare,)))
    assert NEARLY_EQUAL not in str(methods_part((common,)))
    assert NEARLY_EQUAL not in str(methods_part((replace(rare, name="alone"),)))
