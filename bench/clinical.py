"""Additive releases of clinical and other tables of SurvSet, adopted: on them no setting of either was chosen.

Needs SurvSet (``pip install SurvSet``, not a dependency). Every table without rows over time that has at least 900 rows
and two features is taken; its label is whether the event was seen, its features all other columns but the times. One
random half of the rows is the owner's; of the other, half is tested and some of the rest have a label. Figures are
areas under the ROC curve and log-losses on the tested rows, means over tables of the means over draws.

Run: ``python bench/clinical.py [--draws 3] [--epsilon 1] [--peer]``; with ``--peer`` and the environment of
``bench/peers.txt`` DP-EBM is asked for a model of the same rows at the same epsilon.
"""

import argparse
import importlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from tacit.adoption.tables.averaged_transfer import AveragedTransfer
from tacit.arrays import BoolArray, Codes, FloatArray
from tacit.data.rows.encoding import Encoded, encode
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError
from tacit.experiments.peers import ask_peer
from tacit.experiments.table_runs import (
    DELTA,
    PEER_SCRIPT,
    OwnerAndReceiver,
    peer_arrays,
    quality,
    released_scores,
)
from tacit.experiments.tables.adoption_tables import own_predictions
from tacit.kinds.registry import default_kind

LABELS = (0, 20, 50, 100, 200)
LEAST_ROWS, MOST_ROWS = 900, 14_000
MOST_CATEGORIES = 40
NOT_FEATURES = ("pid", "event", "time", "time2")
# A margin around the values of a number, as a part of their range: bounds are public, and seldom tight.
MARGIN = 0.1
PEER = "DP-EBM"
Figures = Mapping[str, tuple[float, float]]


def tables() -> Iterator[tuple[str, Schema, Encoded]]:
    """Yield name, schema and encoded rows of each table."""
    try:
        loader: Any = importlib.import_module("SurvSet.data").SurvLoader()
    except ModuleNotFoundError:
        raise SystemExit("SurvSet is not installed: pip install SurvSet, then run this again.") from None
    for name, over_time in zip(loader.df_ds["ds"], loader.df_ds["is_td"], strict=True):
        frame = loader.load_dataset(name)["df"]
        if over_time or len(frame) < LEAST_ROWS:
            continue
        frame = frame.sample(min(len(frame), MOST_ROWS), random_state=0)
        columns, facts = _public_facts(frame.drop(columns=[each for each in NOT_FEATURES if each in frame]))
        if len(facts) < 2:
            continue
        table = pd.DataFrame({**columns, "event": frame["event"].astype(int).astype(str)})
        has_gaps = bool(table.isna().any().any())
        schema = Schema.from_frame(table, label="event", bounds={**facts, "event": ["0", "1"]}, missing=has_gaps)
        yield name, schema, encode(table, schema)


def _public_facts(frame: pd.DataFrame) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns that can be used, and their bounds or categories."""
    columns: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    for name, values in frame.items():
        if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
            low, high = float(values.min()), float(values.max())
            wider = MARGIN * (high - low)
            if low < high:
                columns[name] = values.astype(float)
                facts[name] = (low - wider if low < 0 else max(0.0, low - wider), high + wider)
            continue
        texts = values.astype(object).where(values.notna(), None)
        texts = texts.map(lambda each: None if each is None else str(each).strip() or None)
        categories = sorted(texts.dropna().unique())
        if 2 <= len(categories) <= MOST_CATEGORIES:
            columns[name], facts[name] = texts, categories
    return columns, facts


def run(schema: Schema, rows: Encoded, draw: int, *, epsilon: float) -> Iterator[tuple[int, Figures | None]]:
    """Yield the figures for each number of labels; None where the release is refused without labels."""
    random = check_random_state(1000 + draw)
    owner: BoolArray = random.random_sample(len(rows.y)) < 0.5
    release = default_kind(schema).release(
        rows.X[owner], rows.y[owner], schema, unit="record", epsilon=epsilon, delta=DELTA, random_state=draw
    )
    ours, test = np.array_split(random.permutation(np.flatnonzero(~owner)), 2)
    X, y, truth = rows.X[ours], rows.y[ours], rows.y[test]
    ceiling = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)).fit(rows.X[owner], rows.y[owner])
    open_rows = ceiling.predict_proba(rows.X[test])
    for n_labels in LABELS:
        if 2 * n_labels > len(y):
            continue
        labels = np.where(np.arange(len(y)) < n_labels, y, -1)
        model = AveragedTransfer([release], schema=schema, evidence=False, random_state=draw)
        try:
            model.fit(X, labels)
        except InputError:
            yield n_labels, None
            continue
        said = {"adopted": model.predict_proba(rows.X[test]), "release": model.releases_proba(rows.X[test])}
        said["LR, owner's open rows"] = open_rows
        if n_labels:
            said |= {"alone": model.alone_proba(rows.X[test])}
            said |= own_predictions(X[:n_labels], y[:n_labels], rows.X[test])
        yield n_labels, {method: _figures(truth, each) for method, each in said.items()}


def _figures(truth: Codes, probabilities: FloatArray) -> tuple[float, float]:
    second = np.clip(probabilities[:, 1], 1e-6, 1 - 1e-6)
    return float(roc_auc_score(truth, second)), float(log_loss(truth, second, labels=[0, 1]))


def beside_peer(name: str, schema: Schema, rows: Encoded, *, epsilon: float) -> tuple[float, float] | None:
    """Return the areas that release and peer, made of one half, reach on the other; None without a peer."""
    owner: BoolArray = check_random_state(1000).random_sample(len(rows.y)) < 0.5
    parts = OwnerAndReceiver(name, schema, rows.where(owner), rows.where(~owner))
    answer = ask_peer(PEER_SCRIPT, PEER, {**peer_arrays(parts, 0), "epsilon": np.array(epsilon)})
    if answer is None:
        return None
    release = default_kind(schema).release(
        parts.owner.X, parts.owner.y, schema, unit="record", epsilon=epsilon, delta=DELTA, random_state=0
    )
    return quality(parts, released_scores(parts, release)), float(answer["quality"])


def main() -> None:
    """Measure every table and print the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--peer", action="store_true", help="ask DP-EBM as well")
    options = parser.parse_args()
    if options.draws < 1 or not 0 < options.epsilon < np.inf:
        parser.error("--draws must be at least 1, and --epsilon a finite number above 0.")
    found: dict[tuple[int, str], dict[str, list[tuple[float, float]]]] = {}
    peer: list[tuple[float, float]] = []
    refused = asked = 0
    for name, schema, rows in tables():
        print(f"{name}: {len(rows.y):,} rows, {len(schema.features)} columns, {rows.y.mean():.0%} events", flush=True)
        for draw in range(options.draws):
            for n_labels, figures in run(schema, rows, draw, epsilon=options.epsilon):
                asked, refused = asked + (n_labels == 0), refused + (n_labels == 0 and figures is None)
                for method, each in (figures or {}).items():
                    found.setdefault((n_labels, method), {}).setdefault(name, []).append(each)
        if options.peer and (areas := beside_peer(name, schema, rows, epsilon=options.epsilon)) is not None:
            peer.append(areas)
    for (n_labels, method), by_table in sorted(found.items()):
        means = np.array([np.mean(each, axis=0) for each in by_table.values()])
        area, loss = means.mean(axis=0)
        print(f"{n_labels:4d} labels, {method:21s} AUC {area:.4f}, log-loss {loss:.4f} ({len(means)} tables)")
    print(f"refused without labels: {refused} of {asked} draws")
    if peer:
        ours, theirs = np.array(peer).T
        above = int((ours > theirs).sum())
        print(f"one draw each: release {ours.mean():.4f}, {PEER} {theirs.mean():.4f}; above in {above} of {len(peer)}")


if __name__ == "__main__":
    main()
