"""What a release shows: the class means that it carries, and noise of the strength that its card states."""

import numpy as np
import pytest

from tacit.data.public.schemas import image_schema
from tacit.data.schemas.columns import Categorical, Label, Numeric
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.kinds.class_moments import KIND as CLASS_MOMENTS
from tacit.kinds.class_moments.preview import ReleasePreview, optional_preview, preview_release
from tacit.models.class_moments.nearest_mean import PrivateNearestMean
from tacit.releases.file import Release

TABLE = Schema(
    (Numeric("age", (0, 100)), Categorical("sex", ("f", "m")), Numeric("dose", (0, 1)), Label("ill", ("no", "yes")))
)
PICTURES = image_schema((4, 4), ("a", "b"))


def rows(schema: Schema, n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    y = generator.integers(0, 2, n)
    X = np.clip(generator.normal(0.35 + 0.3 * y[:, None], 0.1, (n, len(schema.encoded_names))), 0, 1)
    if schema is TABLE:
        X[:, 1], X[:, 2] = y, 1 - y
    return X, y


def release_of(schema: Schema, unit: str, epsilon: float = 1.0) -> Release:
    X, y = rows(schema)
    return CLASS_MOMENTS.release(X, y, schema, unit=unit, epsilon=epsilon, delta=1e-6, random_state=0)


@pytest.mark.parametrize("unit", ["record", "entry"])
def test_columns_are_shown_as_they_were_encoded(unit: str) -> None:
    X, y = rows(TABLE)
    preview = preview_release(release_of(TABLE, unit))
    means = np.array([X[y == code].mean(axis=0) for code in (0, 1)])
    assert np.abs(preview.means - means).max() < 0.1
    assert preview.names == TABLE.encoded_names
    assert preview.classes == ("no", "yes")
    assert preview.shape == ()


def test_pixels_are_shown_where_noise_was_put_on_pixels() -> None:
    preview = preview_release(release_of(PICTURES, "entry"))
    assert (preview.shape, preview.pictures) == ((4, 4), True)


def test_features_are_shown_where_their_sums_were_released() -> None:
    preview = preview_release(release_of(PICTURES, "record", epsilon=20))
    assert not preview.pictures
    assert np.prod(preview.shape) == preview.means.shape[1]
    assert preview.means.min() > -0.1
    assert preview.means.max() < 1.1


@pytest.mark.parametrize("unit", ["record", "entry"])
def test_less_epsilon_is_more_noise_on_the_example(unit: str) -> None:
    little, much = (preview_release(release_of(TABLE, unit, epsilon)) for epsilon in (5.0, 0.5))
    assert much.ratio > 3 * little.ratio
    far, near = (np.abs(preview.with_noise - preview.means[preview.example]).mean() for preview in (much, little))
    assert far > 3 * near


def test_a_preview_is_the_same_each_time_and_survives_storage() -> None:
    release = release_of(TABLE, "record")
    preview = preview_release(release)
    again = ReleasePreview.from_parts(preview.to_arrays(), preview.to_dict())
    assert preview_release(release).with_noise.tolist() == again.with_noise.tolist() == preview.with_noise.tolist()
    assert again.to_dict() == preview.to_dict()


def test_other_releases_are_refused() -> None:
    X, y = rows(TABLE, 50)
    other = PrivateNearestMean(1.0, bounds=(0, 1), classes=[0, 1]).fit(X, y).release()
    with pytest.raises(InputError, match="for transfer; got kind 'class_means'"):
        preview_release(other)
    assert optional_preview(other) is None
