import math
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from tacit.arrays import FloatArray
from tacit.audit.relationship_attack import attack, best_share, guess_relationship
from tacit.data.rows.pairs import Signs
from tacit.errors import InputError

SCRIPT = Path(__file__).parents[2] / "docs" / "gallery" / "pair_leakage.py"


def mean_of_similar(pairs: FloatArray, signs: Signs) -> FloatArray:
    return np.asarray(np.abs(pairs[:, 0] - pairs[:, 1])[signs > 0].mean(axis=0))


def some_pairs() -> tuple[FloatArray, Signs]:
    rng = np.random.default_rng(0)
    return rng.random((30, 2, 3)), rng.choice([-1, 1], 30)


def test_a_metric_without_noise_gives_every_relationship_away() -> None:
    guesses = attack(mean_of_similar, mean_of_similar, *some_pairs(), tries=60)
    assert guesses.share == 1.0


def test_a_metric_that_reads_nothing_gives_nothing_away() -> None:
    guesses = attack(lambda pairs, signs: np.zeros(3), mean_of_similar, *some_pairs(), tries=400)
    assert 0.4 < guesses.share < 0.6


def test_the_guess_does_not_read_the_label_that_it_guesses() -> None:
    pairs, signs = some_pairs()
    metric = mean_of_similar(pairs, signs)
    turned = signs.copy()
    turned[4] = -turned[4]
    guesses = [guess_relationship(metric, pairs, labels, 4, mean_of_similar) for labels in (signs, turned)]
    assert guesses == [signs[4], signs[4]]


def test_no_attacker_beats_randomised_response() -> None:
    assert best_share(1.0) == pytest.approx(math.e / (1 + math.e))
    assert best_share(1e-9) == pytest.approx(0.5)


def test_labels_must_match_pairs() -> None:
    pairs, signs = some_pairs()
    with pytest.raises(InputError, match="30 pairs"):
        attack(mean_of_similar, mean_of_similar, pairs, signs[:4], tries=1)


@pytest.mark.slow
def test_the_gallery_shows_that_ours_does_not_leak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), str(tmp_path)])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("plain metric: right in 100%")
    ours = [int(line.split("right in ")[1].split("%")[0]) for line in lines if line.startswith("epsilon")]
    assert len(ours) == 7
    assert max(ours[:4]) < 65  # up to epsilon 1; 50 is guessing, and 200 guesses stray by 4
    drawing = (tmp_path / "pair_leakage.svg").read_text(encoding="utf-8")
    assert drawing.startswith("<svg")
    assert "our metric" in drawing
