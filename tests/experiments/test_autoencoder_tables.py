import numpy as np

from tacit.experiments.autoencoder_mnist import Task, small
from tacit.experiments.autoencoder_transfer import _few, _views
from tacit.experiments.behaviour import Study, _split
from tacit.situations.behaviour.tuples import BehaviourLog


def test_small_pictures_are_means_of_four_by_four_pixels() -> None:
    images = np.random.default_rng(0).random((3, 784)).astype(np.float32)
    cells = small(images)
    assert cells.shape == (3, 49)
    assert np.isclose(cells[1, 7 * 2 + 5], images[1].reshape(28, 28)[8:12, 20:24].mean())


def test_a_sample_labels_as_many_rows_as_said() -> None:
    X = np.arange(100.0)[:, None]
    task = Task("numbers", X, np.ones(100, dtype=np.int64), X, np.ones(100, dtype=np.int64), 50, 20)
    rows, labels = task.sample(0)
    assert len(np.unique(rows)) == 50
    assert labels.tolist() == [1] * 20 + [-1] * 30
    assert not np.array_equal(rows, task.sample(1)[0])


def test_nobody_is_both_learned_from_and_tested_on() -> None:
    person, time = (part.ravel() for part in np.meshgrid(np.arange(9), np.arange(3), indexing="ij"))
    log = BehaviourLog(np.zeros((27, 1)), person, time, np.zeros(27, dtype=np.int64), np.array([[0, 1, 2], [1, 3, 4]]))
    learned, tested = _split(Study("nine people", log, 1, 1), seed=0, share=0.5)
    assert not set(learned.person) & set(tested.person)
    assert len(set(tested.person)) == len(set(learned.person)) == 3


def test_the_receiver_sees_pixels_an_unlearned_layer_or_the_owners_encoder() -> None:
    owned = np.random.default_rng(0).random((300, 49))
    views = _views(owned)
    assert list(views) == [
        "pixels",
        "a layer that learned nothing",
        "the owner's encoder, epsilon 1, delta 1e-05",
        "the owner's encoder, epsilon 1, delta 0",
    ]
    shapes = [view(owned[:5]).shape for view, _ in views.values()]
    assert shapes == [(5, 49), (5, 24), (5, 24), (5, 24)]
    codes = [view(owned[:5]) for view, _ in list(views.values())[1:]]
    assert all(np.allclose(np.linalg.norm(code, axis=1), 1.0) for code in codes)
    assert not np.allclose(codes[0], codes[1])


def test_a_receiver_has_as_many_rows_as_said() -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40)
    rows, labels = _few((X, y), 7, seed=3)
    assert rows[:, 0].tolist() == labels.tolist()
    assert len(set(labels.tolist())) == 7
