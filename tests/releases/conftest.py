"""A small honest release, the members of its file, and a forger who makes the hashes fit whatever he puts in."""

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from tacit.files import archive
from tacit.privacy.budget import Unit
from tacit.privacy.card import Card
from tacit.privacy.card_content import Part
from tacit.privacy.events import LaplaceEvent, RepeatedEvent
from tacit.releases.file import Release, write_release

Forge = Callable[[Mapping[str, bytes]], Path]


@pytest.fixture(scope="session")
def card() -> Card:
    mechanism = {"mechanism": "laplace", "scale": 10.0}
    event = RepeatedEvent(LaplaceEvent(10.0, 1.0), 3)
    part = Part("class means", mechanism, "one entry moves a mean by at most 1", event)
    return Card("class means of a clinic", Unit.ENTRY, 0.3, 0.0, "one entry differs by at most 1", (part,))


@pytest.fixture(scope="session")
def release(card: Card) -> Release:
    arrays = {
        "means": np.arange(6.0).reshape(2, 3),
        "widths": np.array([0.5, 2.0], dtype=np.float32),
        "counts": np.array([[3], [4]], dtype=np.int64),
        "used": np.array([True, False, True]),
        "none": np.zeros((0, 3)),
        "offset": np.array(1.5),
    }
    settings = {"bounds": [0.0, 1.0], "names": {"a": "é", "b": None}, "exact": True, "steps": 3}
    return Release("class_means", arrays, settings, card, {"columns": [{"name": "age", "low": 0, "high": 120}]})


@pytest.fixture(scope="session")
def honest(release: Release, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("honest") / "honest.tacit"
    write_release(release, path)
    return path.read_bytes()


@pytest.fixture(scope="session")
def members(honest: bytes) -> dict[str, bytes]:
    file = io.BytesIO(honest)
    return {name: archive.read_member(file, member) for name, member in archive.read_directory(file).items()}


@pytest.fixture(scope="session")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Forge:
    path = tmp_path_factory.mktemp("forged") / "forged.tacit"

    def forged(contents: Mapping[str, bytes]) -> Path:
        complete = dict(contents)
        manifest = json.loads(complete["manifest.json"])
        for name in manifest["members"]:
            content = complete[name]
            manifest["members"][name] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        complete["manifest.json"] = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()
        with path.open("wb") as file:
            archive.write_archive(file, {name: [content] for name, content in complete.items()})
        return path

    return forged
