import stat
from pathlib import Path

import numpy as np
import pytest

from tacit.errors import ReleaseError
from tacit.privacy.card import Card
from tacit.releases import signature
from tacit.releases.file import Model, Release, read_model, read_release, write_model, write_release


@pytest.fixture
def model(card: Card) -> Model:
    arrays = {"landmarks": np.arange(4.0).reshape(2, 2)}
    return Model("hull", arrays, {"degree": 2}, (card, card), {"columns": ["age", "sex"]})


def test_a_model_survives_its_file(model: Model, tmp_path: Path) -> None:
    write_model(model, tmp_path / "model.tacit")
    read = read_model(tmp_path / "model.tacit")
    assert read == model
    assert read.cards == model.cards


def test_a_model_may_have_adopted_nothing(tmp_path: Path) -> None:
    alone = Model("hull", {}, {})
    write_model(alone, tmp_path / "model.tacit")
    assert read_model(tmp_path / "model.tacit") == alone


def test_a_model_is_readable_by_its_owner_alone(model: Model, tmp_path: Path) -> None:
    (tmp_path / "model.tacit").write_bytes(b"old")
    write_model(model, tmp_path / "model.tacit")
    assert stat.S_IMODE((tmp_path / "model.tacit").stat().st_mode) == 0o600


def test_a_model_is_no_release_and_a_release_no_model(model: Model, release: Release, tmp_path: Path) -> None:
    write_model(model, tmp_path / "model.tacit")
    write_release(release, tmp_path / "clinic.tacit")
    with pytest.raises(ReleaseError, match=r"model\.tacit: it is a model, but a release is wanted here"):
        read_release(tmp_path / "model.tacit")
    with pytest.raises(ReleaseError, match=r"clinic\.tacit: it is a release, but a model is wanted here"):
        read_model(tmp_path / "clinic.tacit")


def test_a_model_equals_no_release_with_the_same_parts(card: Card) -> None:
    assert Model("a", {}, {}) != Release("a", {}, {}, card)


def test_what_is_no_card_is_refused() -> None:
    with pytest.raises(ReleaseError, match="each card must be a Card; got str"):
        Model("a", {}, {}, ("card",))  # type: ignore[arg-type]


def test_a_model_can_be_signed(model: Model, tmp_path: Path) -> None:
    key = signature.generate_key()
    write_model(model, tmp_path / "a", signing_key=key)
    assert read_model(tmp_path / "a", trusted_key=key.public_key()) == model
    write_model(model, tmp_path / "a")
    with pytest.raises(ReleaseError, match="it is not signed"):
        read_model(tmp_path / "a", trusted_key=key.public_key())
