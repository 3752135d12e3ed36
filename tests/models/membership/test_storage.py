import numpy as np
import pytest
from sklearn.datasets import load_digits

from tacit.models.membership.classifier import MembershipClassifier
from tacit.models.membership.mapping import MembershipMapping
from tacit.models.membership.storage import (
    classifier_from_arrays,
    classifier_to_arrays,
    mapping_parts,
    stored_mapping,
)

X, Y = load_digits(n_class=3, return_X_y=True)
X = X / 16


@pytest.mark.parametrize("labels", [Y, np.array(["a", "b", "c"])[Y]])
def test_a_stored_classifier_predicts_as_it_did(labels: np.ndarray) -> None:
    model = MembershipClassifier(part_size=60, n_layers=2, n_components=6, random_state=0).fit(X[:300], labels[:300])
    arrays = classifier_to_arrays(model, "own")
    assert all(name.startswith("own_") for name in arrays)
    again = classifier_from_arrays({**arrays, "other_classes": np.zeros(1)}, "own")
    assert np.array_equal(again.predict(X[300:]), model.predict(X[300:]))
    assert np.array_equal(again.reconstruction_errors(X[300:]), model.reconstruction_errors(X[300:]))
    assert again.n_features_in_ == 64


def test_every_number_of_a_layer_is_kept() -> None:
    model = MembershipClassifier(part_size=60, n_components=6, random_state=0).fit(X[:300], Y[:300])
    again = classifier_from_arrays(classifier_to_arrays(model, "own"), "own")
    for parts, others in zip(model.autoencoders_, again.autoencoders_, strict=True):
        for part, other in zip(parts, others, strict=True):
            (layer,), (copy,) = part.layers, other.layers
            assert (copy.smoothing, copy.variance, copy.noise) == (layer.smoothing, layer.variance, layer.noise)
            assert np.array_equal(other.directions, part.directions)


def test_a_stored_mapping_of_several_outputs_predicts_as_it_did() -> None:
    mapping = MembershipMapping(random_state=0).fit(X[:300], np.eye(3)[Y[:300]])
    again = stored_mapping(*mapping_parts(mapping))
    assert np.array_equal(again.predict(X[300:]), mapping.predict(X[300:]))


def test_missing_arrays_are_missed() -> None:
    arrays = classifier_to_arrays(MembershipClassifier(random_state=0).fit(X[:90], Y[:90]), "own")
    del arrays["own_0_0_0_coefficients"]
    with pytest.raises(KeyError, match="coefficients"):
        classifier_from_arrays(arrays, "own")
