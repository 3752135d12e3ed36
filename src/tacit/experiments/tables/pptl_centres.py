"""Private hospitals and private countries: learning alone, by another's weights alone, and by both; [pptl] Table 4."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from tacit.arrays import Codes
from tacit.data.public.datasets import load_adult, load_heart_centres
from tacit.data.rows.encoding import Encoded
from tacit.data.schemas.schema import Schema
from tacit.experiments.linear_runs import LinearTask, measure, rank_rows
from tacit.experiments.results import ResultRow, mean_rows
from tacit.models.linear.feature_split import FeatureSplit
from tacit.models.two_class_problems import schema_bounds
from tacit.records import record

RUNS = 10
EPSILON = 1.0
RANDOM_GROUPS = 3
# Groups of columns and their part of the budget, by what a textbook says about the disease, not by these rows.
HEART_GROUPS = (
    (0.5, "cp exang oldpeak thalach slope"),
    (0.3, "ca thal"),
    (0.2, "age sex trestbps chol fbs restecg"),
)
# By what anybody expects to go with an income.
ADULT_GROUPS = (
    (0.4, "education education-num occupation workclass"),
    (0.4, "age marital-status relationship sex hours-per-week"),
    (0.2, "fnlwgt race capital-gain capital-loss"),
)
COUNTRIES = ("Mexico", "Philippines", "Germany", "Puerto-Rico", "Canada", "El-Salvador", "India", "Cuba", "England")
QUICK: dict[str, Any] = {"RUNS": 1}


@record
class TableFamily:
    """One private source, private targets with the same columns, and the ways to split those."""

    source: Encoded
    targets: dict[str, Encoded]
    schema: Schema
    splits: dict[str, FeatureSplit]


def rows() -> Iterator[ResultRow]:
    """Yield the area under the ROC curve at epsilon 1 for source and target, and each method's averaged rank."""
    yield from _family("heart", _hearts())
    yield from _family("Adult", _countries())


def _family(name: str, family: TableFamily) -> Iterator[ResultRow]:
    cases: list[list[dict[str, float]]] = []
    for place, (target, table) in enumerate(family.targets.items()):
        tasks = [_task(family.source, table, family.schema, seed) for seed in range(RUNS)]
        runs = [measure(task, EPSILON, family.splits, seed=RUNS * place + seed) for seed, task in enumerate(tasks)]
        cases.append(runs)
        yield from mean_rows(f"{name}: {target}, {len(table.y)} rows", runs, metric="ROC AUC")
    yield from rank_rows(f"{name}: all {len(family.targets)} targets", cases, "targets")


def _task(source: Encoded, target: Encoded, schema: Schema, seed: int) -> LinearTask:
    """Return the source, and four fifths of the target against the rest, the classes in equal parts."""
    generator = check_random_state(seed)
    order = generator.permutation(len(target.y))
    held_out = np.concatenate([_fifth(order[target.y[order] == code]) for code in (0, 1)])
    train = order[~np.isin(order, held_out)]
    return LinearTask(
        (np.asarray(source.X, dtype=np.float64), source.y),
        (np.asarray(target.X[train], dtype=np.float64), target.y[train]),
        (np.asarray(target.X[held_out], dtype=np.float64), target.y[held_out]),
        bounds=schema_bounds(schema),
    )


def _fifth(places: Codes) -> Codes:
    return places[: max(len(places) // 5, 1)]


def _hearts() -> TableFamily:
    centres = load_heart_centres()
    encoded = {name: centre.encode(labels="required") for name, centre in centres.items()}
    schema = centres["cleveland"].schema
    return TableFamily(encoded.pop("cleveland"), encoded, schema, _splits(schema, HEART_GROUPS))


def _countries() -> TableFamily:
    """Return residents born in the United States, and in other countries; the country itself is no feature."""
    adult = load_adult()
    schema = Schema(
        tuple(column for column in adult.schema.columns if column.name != "native-country"),
        missing_values=adult.schema.missing_values,
        extra_columns="ignore",
    )
    born = adult.table["native-country"].str.strip_chars().to_numpy()
    whole = type(adult)(adult.name, adult.table, schema).encode(labels="required")

    def residents(country: str) -> Encoded:
        chosen = born == country
        return Encoded(whole.X[chosen], whole.y[chosen], whole.names, whole.classes)

    targets = {country: residents(country) for country in COUNTRIES}
    return TableFamily(residents("United-States"), targets, schema, _splits(schema, ADULT_GROUPS))


def _splits(schema: Schema, groups: tuple[tuple[float, str], ...]) -> dict[str, FeatureSplit]:
    places = tuple(tuple(place for name in names.split() for place in schema.positions[name]) for _, names in groups)
    return {
        "PPTL-FS(R)": FeatureSplit.random(len(schema.encoded_names), RANDOM_GROUPS),
        "PPTL-FS(W)": FeatureSplit(places, tuple(share for share, _ in groups)),
    }
