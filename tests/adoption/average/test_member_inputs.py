"""What members read of rows: features of each kernel once, of the right columns, and of some rows."""

import numpy as np
import pytest

from tacit.adoption.average.kernel_features import KernelFeatures, features_of, view_kernel
from tacit.adoption.average.member_inputs import Inputs, margin
from tacit.errors import InputError

Z = np.random.default_rng(0).normal(size=(12, 3))
VIEW = np.random.default_rng(1).normal(size=(12, 2))


def rows(*, trees: bool = False) -> Inputs:
    features = features_of(Z, 3.0)
    features |= {view_kernel(name, 1): each for name, each in features_of(VIEW, 2.0).items()}
    scores = (np.tile([-1.0, 1.0], (12, 1)), np.arange(24.0).reshape(12, 2))
    return Inputs(scores, Z, features, np.arange(24.0).reshape(12, 2) if trees else None, {1: VIEW})


def test_without_a_kernel_there_are_no_features_and_nothing_is_lost() -> None:
    assert rows().phi(None).shape == (12, 0)
    assert rows().lost(None).tolist() == [0.0] * 12


@pytest.mark.parametrize("kernel", ["linear", "radial"])
def test_features_and_what_they_leave_out_make_up_the_kernel(kernel: str) -> None:
    inputs = rows()
    whole = np.vecdot(Z, Z) / 3.0 if kernel == "linear" else np.ones(12)
    phi = inputs.phi(kernel)
    assert np.vecdot(phi, phi) + inputs.lost(kernel) == pytest.approx(whole, rel=1e-5)


def test_a_kernel_of_a_view_reads_the_features_of_its_release() -> None:
    inputs = rows()
    assert inputs.phi("linear@1") == pytest.approx(inputs.features["linear@1"](VIEW))
    gram = inputs.phi("linear@1") @ inputs.phi("linear@1").T
    assert gram == pytest.approx(VIEW @ VIEW.T / 2.0, abs=1e-5)


def test_features_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs, calls = rows(), []
    original = KernelFeatures.__call__

    def counted(self: KernelFeatures, given: np.ndarray) -> np.ndarray:
        calls.append(self.kernel)
        return original(self, given)

    monkeypatch.setattr(KernelFeatures, "__call__", counted)
    first = inputs.phi("radial")
    assert inputs.phi("radial") is first
    inputs.lost("radial")
    assert calls == ["radial"]


def test_some_rows_have_their_own_scores_features_trees_and_views() -> None:
    some, places = rows(trees=True).rows(slice(3, 7)), slice(3, 7)
    whole = rows(trees=True)
    assert len(some) == 4
    for kernel in ("linear", "radial", "linear@1", "radial@1"):
        assert some.phi(kernel) == pytest.approx(whole.phi(kernel)[places], abs=1e-6)
    assert some.tree_scores().tolist() == whole.tree_scores()[places].tolist()
    assert [each.tolist() for each in some.scores] == [each[places].tolist() for each in whole.scores]


def test_trees_that_were_not_learned_are_asked_for_in_vain() -> None:
    with pytest.raises(InputError, match="trees' scores"):
        rows().tree_scores()
    assert rows().rows(slice(0, 2)).trees is None


def test_the_margin_is_the_second_class_against_the_first() -> None:
    assert margin(np.array([[1.0, 3.0], [2.0, -1.0]])).tolist() == [2.0, -3.0]
