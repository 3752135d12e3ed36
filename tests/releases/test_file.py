import pickle
import stat
import tracemalloc
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.errors import NotReleasableError, ReleaseError
from tacit.privacy.card import Card
from tacit.releases.file import Release, read_release, write_release


def test_a_release_survives_its_file(release: Release, tmp_path: Path) -> None:
    for name in ("clinic.tacit", "without suffix", "é.zip"):
        write_release(release, tmp_path / name)
        read = read_release(str(tmp_path / name))
        assert read == release
        assert (read.kind, read.settings, read.card, read.schema) == (
            release.kind,
            release.settings,
            release.card,
            release.schema,
        )
        assert all(read.arrays[array].dtype == release.arrays[array].dtype for array in release.arrays)


def test_a_release_without_arrays_or_schema_survives_its_file(card: Card, tmp_path: Path) -> None:
    bare = Release("choice", {}, {"chosen": 3}, card)
    write_release(bare, tmp_path / "a.tacit")
    assert read_release(tmp_path / "a.tacit") == bare


def test_equality_looks_at_every_part_but_the_signer(release: Release) -> None:
    assert release == replace(release, signer="ab")
    others: list[dict[str, Any]] = [
        {"kind": "other"},
        {"arrays": {**release.arrays, "means": np.zeros((2, 3))}},
        {"settings": {}},
        {"schema": None},
        {"card": replace(release.card, title="other")},
    ]
    for change in others:
        assert release != replace(release, **change)
    assert release != "release"


def test_a_release_is_frozen_and_keeps_no_settings_of_the_callers(release: Release, card: Card) -> None:
    settings = {"bounds": [0.0]}
    made = Release("a", {}, settings, card)
    settings["bounds"].append(1.0)
    assert made.settings == {"bounds": [0.0]}
    with pytest.raises(FrozenInstanceError):
        made.kind = "b"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        release.arrays["means"][0, 0] = 1


def test_a_release_crosses_to_another_process(release: Release) -> None:
    assert pickle.loads(pickle.dumps(release)) == release


@pytest.mark.parametrize("kind", ["", "a b", "../a", "1a", "é", "a" * 129, None])
def test_a_kind_that_is_no_identifier_is_refused(card: Card, kind: Any) -> None:
    with pytest.raises(ReleaseError, match="kind must be an identifier"):
        Release(kind, {}, {}, card)


def test_malformed_parts_are_refused_when_the_release_is_made(card: Card) -> None:
    with pytest.raises(ReleaseError, match="array 'a' must hold finite numbers only"):
        Release("a", {"a": np.array([np.nan])}, {}, card)
    with pytest.raises(ReleaseError, match=r"settings\.scale must hold finite numbers only"):
        Release("a", {}, {"scale": float("nan")}, card)
    with pytest.raises(ReleaseError, match=r"schema\.a must be text, a number"):
        Release("a", {}, {}, card, {"a": object()})


def test_what_passed_through_no_mechanism_is_refused(card: Card) -> None:
    with pytest.raises(NotReleasableError, match="card must name at least one mechanism event"):
        Release("a", {}, {}, replace(card, parts=()))
    with pytest.raises(NotReleasableError, match="got NoneType"):
        Release("a", {}, {}, None)  # type: ignore[arg-type]


def test_a_file_whose_card_names_no_mechanism_is_refused(release: Release, tmp_path: Path) -> None:
    object.__setattr__(release_copy := replace(release), "card", replace(release.card, parts=()))
    write_release(release_copy, tmp_path / "a.tacit")
    with pytest.raises(NotReleasableError, match=r"a\.tacit: card must name at least one mechanism event"):
        read_release(tmp_path / "a.tacit")


def test_a_release_is_written_with_the_usual_permissions(release: Release, tmp_path: Path) -> None:
    write_release(release, tmp_path / "a.tacit")
    (tmp_path / "usual").touch()
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a.tacit", "usual")}
    assert len(modes) == 1


def test_a_failed_write_leaves_the_old_release(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_release(release, tmp_path / "a.tacit")
    monkeypatch.setattr("tacit.files.archive._directory", lambda _: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(ReleaseError, match="the disk is full"):
        write_release(replace(release, kind="other"), tmp_path / "a.tacit")
    monkeypatch.undo()
    assert read_release(tmp_path / "a.tacit") == release
    assert [file.name for file in tmp_path.iterdir()] == ["a.tacit"]


def test_reading_and_writing_need_little_more_memory_than_the_arrays(card: Card, tmp_path: Path) -> None:
    rows = np.arange(10_000_000, dtype=np.float32).reshape(-1, 100)
    tracemalloc.start()
    write_release(Release("rows", {"rows": rows}, {}, card), tmp_path / "a.tacit")
    _, peak = tracemalloc.get_traced_memory()
    assert peak < 0.1 * rows.nbytes
    read = read_release(tmp_path / "a.tacit")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.array_equal(read.arrays["rows"], rows)
    assert rows.nbytes < peak < 1.1 * rows.nbytes
