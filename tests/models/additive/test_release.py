"""The file of an additive release."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.models.additive.tables import COLUMNS, random_codes
from tests.models.additive.test_learning import crossed, learned
from tests.models.additive.test_model import FACTS, classifier, curves

from tacit.errors import ReleaseError
from tacit.models.additive.model import AdditiveClassifier, AdditiveRegression
from tacit.models.additive.number_check import NumberCheck
from tacit.models.additive.plan import plan_additive
from tacit.models.additive.release import AdditiveModel, additive_card, additive_release, read_additive
from tacit.privacy.card import Card
from tacit.releases.file import Release, read_release, write_release


def card() -> Card:
    target = classifier(2).curves.levels[2]
    plan = plan_additive(COLUMNS, target, epsilon=1.0, delta=1e-6)
    return additive_card(plan.as_plan.open(random_state=0), extra=("the list of classes",))


def regression() -> AdditiveRegression:
    check = NumberCheck(0.5, 0.1, 0.1 * np.eye(2), 0.3, 0.4, 8.0)
    return AdditiveRegression(curves(1), check, 100.0, 10.0, (0.0, 105.0), FACTS)


@pytest.mark.parametrize("model", [classifier(2), classifier(4), regression()], ids=["two", "four", "number"])
def test_a_model_survives_its_file(model: AdditiveModel, tmp_path: Path) -> None:
    write_release(additive_release(model, card()), tmp_path / "a.tacit")
    again = read_additive(read_release(tmp_path / "a.tacit"))
    codes = random_codes(30)
    assert again.facts == model.facts
    if isinstance(model, AdditiveClassifier) and isinstance(again, AdditiveClassifier):
        np.testing.assert_allclose(again.probabilities(codes), model.probabilities(codes), atol=1e-5)
        assert (again.classes, again.check.separation_z) == (model.classes, model.check.separation_z)
    elif isinstance(model, AdditiveRegression) and isinstance(again, AdditiveRegression):
        np.testing.assert_allclose(again.predict(codes).mean, model.predict(codes).mean, rtol=1e-5)
        np.testing.assert_allclose(again.predict(codes).variance, model.predict(codes).variance, rtol=1e-4)
    else:
        pytest.fail("the model changed its kind")


def test_the_card_says_what_is_public() -> None:
    text = card().to_text()
    assert "the list of classes" in text
    assert "bounds and categories" in text
    assert "add-remove" in text


def broken(part: str) -> Release:
    release = additive_release(classifier(4), card())
    arrays, settings = dict(release.arrays), dict(release.settings)
    match part:
        case "values":
            arrays["values"] = arrays["values"][:-1]
        case "shares":
            del arrays["shares"]
        case "classes":
            settings["classes"] = ["0", "1", "2"]
        case "levels":
            settings["levels"] = [{"name": "x"}]
        case "covariance":
            arrays["covariance"] = np.eye(2)
    return replace(release, arrays=arrays, settings=settings)


@pytest.mark.parametrize("part", ["values", "shares", "classes", "levels", "covariance"])
def test_a_malformed_release_is_refused(part: str) -> None:
    with pytest.raises(ReleaseError, match="malformed"):
        read_additive(broken(part))


def test_a_release_of_another_kind_is_refused() -> None:
    with pytest.raises(ReleaseError, match="--method additive"):
        read_additive(replace(additive_release(classifier(2), card()), kind="linear"))


def test_a_release_with_pairs_is_read_as_it_was_written() -> None:
    model = learned(*crossed(6000, 1))
    again = read_additive(additive_release(model, card()))
    codes = random_codes(50).astype(int)
    assert [pair.pair.columns for pair in again.curves.pairs] == [pair.pair.columns for pair in model.curves.pairs]
    np.testing.assert_array_equal(again.curves.scores(codes)[0], model.curves.scores(codes)[0])


def test_a_release_whose_pairs_lack_cells_is_refused() -> None:
    release = additive_release(learned(*crossed(6000, 1)), card())
    cut = replace(release, arrays={**release.arrays, "pair_values": release.arrays["pair_values"][:-1]})
    with pytest.raises(ReleaseError, match="tables of pairs must have"):
        read_additive(cut)
