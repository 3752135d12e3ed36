"""The adversary of a ledger: its likelihoods are right, its choices follow the answers, a real ledger is asked."""

import numpy as np
import pytest
from scipy import stats

from tacit.audit.ledger import (
    BUDGET,
    COSTLY,
    Offer,
    _choices,
    cases,
    exchanged_tables,
    ledger_grants,
    log_ratios,
    offers,
    transcripts,
)
from tacit.errors import InputError
from tacit.privacy.budget import Relation
from tacit.privacy.mechanisms import Duchi, Gaussian, Laplace, ObjectivePerturbation
from tacit.privacy.stream import NoiseStream


@pytest.mark.slow
@pytest.mark.parametrize("case", cases(4), ids=lambda case: case.name)
def test_a_sound_ledger_keeps_its_total_and_broken_ones_are_caught(case: object) -> None:
    result = case.run()  # type: ignore[attr-defined]
    assert result.passed is not case.control  # type: ignore[attr-defined]
    if "mixed" in case.name:  # type: ignore[attr-defined]
        assert 0.1 < result.lower_bound < BUDGET.epsilon, "an adversary who learns nothing proves nothing"


def test_likelihood_ratios_of_additive_noise_are_those_of_its_law() -> None:
    answers = np.array([[0.3, -1.0], [2.0, 0.5], [-4.0, 9.0]])
    first, second = np.array([0.0, 1.0]), np.array([1.0, -1.0])
    gaussian = Gaussian(2.0, 3.0, 2)
    expected = stats.norm(second, 2.0).logpdf(answers) - stats.norm(first, 2.0).logpdf(answers)
    assert np.allclose(log_ratios(gaussian, answers, first, second), expected.sum(axis=1))
    laplace = Laplace(0.7, 3.0, 2)
    expected = stats.laplace(second, 0.7).logpdf(answers) - stats.laplace(first, 0.7).logpdf(answers)
    assert np.allclose(log_ratios(laplace, answers, first, second), expected.sum(axis=1))
    with pytest.raises(InputError, match="no likelihood is known for duchi"):
        log_ratios(Duchi(1.0, 2), answers, first, second)


def test_the_density_of_perturbed_weights_integrates_like_one() -> None:
    """Slow oracle: in one dimension both densities add up to the same on a fine grid, if each is right."""
    mechanism = ObjectivePerturbation.for_epsilon(1.0, curvature=3.0, dimension=1)
    first, second = np.array([[0.9, 0.2], [-0.5, 0.1]]), np.array([[-0.7, 0.0], [-0.5, 0.1]])
    grid = np.linspace(-60, 60, 400_001)[:, None]
    ratios = log_ratios(mechanism, grid, first, second)
    # p(u) of the first table by the change of variables, with its slope taken by differences.
    slopes = 1 / (1 + np.exp(grid @ first[:, :1].T + first[:, 1]))
    noise = (slopes @ first[:, :1] - mechanism.curvature * grid)[:, 0]
    density = stats.laplace(0, 1 / mechanism.beta).pdf(noise) * np.abs(np.gradient(noise, grid[:, 0]))
    width = grid[1, 0] - grid[0, 0]
    assert density.sum() * width == pytest.approx(1, abs=1e-3)
    assert (density * np.exp(ratios)).sum() * width == pytest.approx(1, abs=1e-3)


def test_the_two_tables_differ_in_one_exchanged_record() -> None:
    (X, y), (other, labels) = exchanged_tables()
    assert (other != X).any(axis=1).sum() == 1
    assert (y == labels).all()


def test_several_kinds_and_both_relations_are_on_offer() -> None:
    listed = offers()
    assert set(listed) == {"moments", "encoder", "linear", "desk"}
    assert {offer.claim.relations for offer in listed.values()} == {(Relation.ADD_REMOVE,), (Relation.REPLACE,)}


def test_a_ledger_grants_until_nothing_is_left_and_one_that_does_not_convert_grants_more() -> None:
    claims = {name: offer.claim for name, offer in offers().items() if name == "moments"}
    lengths = []
    for converts in (True, False):
        grants = ledger_grants(claims, converts=converts)
        history: tuple[str, ...] = ()
        while grants(history, "moments"):
            history = (*history, "moments")
        lengths.append(len(history))
    assert 0 < lengths[0] < lengths[1]


def test_the_next_release_depends_on_the_answers_so_far() -> None:
    ratios = np.array([-1.0, 0.01, 1.0])
    granted = ["desk", "encoder", COSTLY]
    assert _choices(("moments",), ratios, granted).tolist() == ["desk", COSTLY, "encoder"]
    assert _choices((), ratios, granted).tolist() == ["desk", "encoder", "encoder"]
    assert _choices(("moments", COSTLY), ratios, granted).tolist() == ["desk", "encoder", "encoder"]
    assert _choices(("moments",), ratios, [COSTLY]).tolist() == ["", COSTLY, ""]


def test_every_run_ends_once_and_adds_up_its_answers() -> None:
    unit_step = Laplace(1.0, 1.0)
    claim = offers()["desk"].claim
    listed = {"desk": Offer(claim, ((unit_step, np.zeros(1), np.ones(1)),))}
    runs = transcripts(listed, lambda history, _: len(history) < 3, 1, 2000, NoiseStream(0))
    assert runs.shape == (2000,)
    assert np.abs(runs).max() <= 3 + 1e-9
    # Three answers, each with mean 1 - (1 - e^-1) on the second table.
    assert runs.mean() == pytest.approx(3 * np.exp(-1), abs=0.1)
    none = transcripts(listed, lambda *_: False, 0, 7, NoiseStream(0))
    assert none.tolist() == [0] * 7
