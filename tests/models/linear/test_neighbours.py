"""The three forms of a linear classifier: what each proves, what it publishes, and for how many rows it is made."""

import numpy as np
import pytest
from scipy.special import expit

from tacit.arrays import FloatArray
from tacit.audit.replay import replay
from tacit.errors import InputError
from tacit.models.linear.feature_split_classifier import FeatureSplitClassifier
from tacit.models.linear.hypothesis_transfer import HypothesisTransfer
from tacit.models.linear.logistic import PrivateLogisticRegression
from tacit.models.linear.neighbours import LinearNeighbours, curvature, require_row_number
from tacit.models.linear.planning import SplitSettings
from tacit.privacy.budget import Budget, Relation
from tacit.privacy.conversions import Exact
from tacit.privacy.ledger import Ledger
from tacit.privacy.mechanisms import ObjectivePerturbation

ADD_REMOVE, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE
RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((60, 3))
Y = (X[:, 0] > 0).astype(int)
MORE = np.vstack([X, [[1e6, -1e6, 0.0]]]), np.append(Y, 1)
LESS = X[1:], Y[1:]


def models(**settings: object) -> list[object]:
    """Return every estimator of the family for rows that come and go."""
    both = {"classes": [0, 1], "random_state": 0, **settings}
    return [
        PrivateLogisticRegression(1.0, relation="add-remove", **both),  # type: ignore[arg-type]
        HypothesisTransfer(1.0, relation="add-remove", **both),  # type: ignore[arg-type]
        FeatureSplitClassifier(1.0, split=2, settings=SplitSettings(relation="add-remove"), **both),  # type: ignore[arg-type]
    ]


def test_each_form_says_what_it_proves_and_publishes() -> None:
    public, bounded = LinearNeighbours(), LinearNeighbours(100)
    added, guessed = LinearNeighbours(relation="add-remove"), LinearNeighbours(100, "add-remove")
    assert (public.relations, public.exact, public.kind) == ((REPLACE,), (Exact.ROW_COUNT,), "replaced")
    assert (bounded.relations, bounded.exact, bounded.kind) == ((ADD_REMOVE, REPLACE), (), "replaced")
    for form in (added, guessed):
        assert (form.relations, form.exact, form.kind) == ((ADD_REMOVE,), (), "added")
    assert [form.planned_rows(60) for form in (public, bounded, added, guessed)] == [60, 100, None, 100]
    assert [form.filled_rows(60) for form in (public, bounded, added, guessed)] == [60, 100, 60, 60]
    assert guessed.filled_rows(200) == 200  # a guess is no bound
    with pytest.raises(InputError, match="n_rows must be at least"):
        bounded.filled_rows(101)


def test_parts_of_the_rows_need_a_bound() -> None:
    with pytest.raises(InputError, match="n_rows must be given with relation 'add-remove'"):
        LinearNeighbours(relation="add-remove", parts=True)
    assert LinearNeighbours(100, "add-remove", parts=True).relations == (ADD_REMOVE, REPLACE)
    with pytest.raises(InputError, match="relation must be one of"):
        LinearNeighbours(relation="removed")


def test_regularisation_without_a_number_of_rows_makes_noise_of_length_one() -> None:
    assert curvature(0.5, 200, dimension=7, epsilon=2.0) == 100
    bend = curvature(1.0, None, dimension=7, epsilon=2.0)
    assert 7 / (2.0 * bend) == 1.0
    require_row_number(None, None)
    with pytest.raises(InputError, match="the number of rows is hidden"):
        require_row_number(None, 0.1)
    with pytest.raises(InputError, match="the number of rows is hidden"):
        PrivateLogisticRegression(1.0, relation="add-remove", regularization=0.1).fit(X, Y)


def objective_gradient(w: FloatArray, rows: FloatArray, bend: float) -> FloatArray:
    """Return the gradient of sum log(1 + e^(-z w)) + bend/2 |w|²."""
    return np.asarray(-(expit(-rows @ w)[:, None] * rows).sum(axis=0) + bend * w)


def log_density(mechanism: ObjectivePerturbation, w: FloatArray, rows: FloatArray) -> float:
    """Return the log density of the exact minimiser at w, up to a constant: that of b = -gradient, times |det H|."""
    slopes = expit(-rows @ w)
    hessian = (rows * (slopes * (1 - slopes))[:, None]).T @ rows + mechanism.curvature * np.eye(len(w))
    noise = np.linalg.norm(objective_gradient(w, rows, mechanism.curvature))
    return float(np.linalg.slogdet(hessian)[1] - mechanism.beta * noise)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("n", [0, 1, 5, 200])
def test_a_row_more_moves_gradient_and_hessian_as_the_proof_says(epsilon: float, n: int) -> None:
    """The inequality itself: |gradient| by at most 1, the Hessian by rank one, so that no output tells more."""
    bend = curvature(1.0, None, dimension=3, epsilon=epsilon)
    mechanism = ObjectivePerturbation.for_epsilon(epsilon, curvature=bend, dimension=3, neighbours="added")
    random = np.random.default_rng(n)
    rows = random.standard_normal((n, 3))
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
    worst = 0.0
    for _ in range(300):
        row = random.standard_normal(3)
        row /= np.linalg.norm(row)
        w = random.standard_normal(3) * random.choice([0.1, 3.0, 30.0])
        more = np.vstack([rows, row])
        moved = objective_gradient(w, more, bend) - objective_gradient(w, rows, bend)
        assert np.linalg.norm(moved) <= 1 + 1e-12
        worst = max(worst, abs(log_density(mechanism, w, more) - log_density(mechanism, w, rows)))
    assert worst <= mechanism.event.epsilon
    assert worst > 0.5 * mechanism.event.epsilon  # half of the noise would not do


@pytest.mark.parametrize("neighbour", [MORE, LESS], ids=["more", "less"])
@pytest.mark.parametrize("which", range(3))
def test_a_row_that_comes_or_goes_is_hidden_without_any_number_of_rows(
    which: int, neighbour: tuple[FloatArray, FloatArray]
) -> None:
    def run(table: tuple[FloatArray, FloatArray]) -> dict[str, object]:
        return dict(models()[which].fit(*table).release().arrays)  # type: ignore[attr-defined]

    seen = replay(run, (X, Y), neighbour).require()
    assert seen.largest_share == 1


@pytest.mark.parametrize("which", range(3))
def test_such_a_fit_is_charged_on_an_add_remove_ledger_and_tells_no_number(which: int, tmp_path: object) -> None:
    ledger = Ledger.create(f"{tmp_path}/x.ledger", Budget(1.0, unit="record"))
    model = models(ledger=ledger, random_state=None)[which].fit(X, Y)  # type: ignore[attr-defined]
    assert ledger.spent() == pytest.approx(1.0)
    card = model.card_
    assert (card.relation, card.published) == ("add-remove", ())
    assert "the number of rows" not in card.not_protected
    assert "one of them has one row more" in card.adjacency
    assert "does not depend on their number" in card.parts[0].because


def test_half_of_the_noise_is_drawn_where_only_a_row_more_or_less_is_hidden() -> None:
    (added,) = PrivateLogisticRegression(1.0, relation="add-remove", n_rows=60).plan(3, n_rows=60)
    (both,) = PrivateLogisticRegression(1.0, n_rows=60).plan(3, n_rows=60)
    assert added.mechanism.beta == pytest.approx(2 * both.mechanism.beta)  # type: ignore[attr-defined]


def test_without_a_number_of_rows_it_still_learns() -> None:
    random = np.random.default_rng(0)
    rows = random.standard_normal((2000, 3))
    labels = (rows @ [1.0, -1.0, 0.5] > 0).astype(int)
    for model in (
        PrivateLogisticRegression(1.0, relation="add-remove"),
        HypothesisTransfer(1.0, relation="add-remove"),
        FeatureSplitClassifier(1.0, settings=SplitSettings(relation="add-remove")),
    ):
        assert model.fit(rows, labels).score(rows, labels) > 0.85


def test_the_printed_algorithms_keep_a_public_number_of_rows() -> None:
    with pytest.raises(InputError, match="publishes the number of rows"):
        SplitSettings(accounting="paper", relation="add-remove")
