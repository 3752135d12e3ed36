"""Audit cases of each kind of release, by the kind's name."""

from collections.abc import Callable

from tacit.audit.case import Case
from tacit.audit.kinds import class_moments, encoder, fabricated_rows, linear, noisy_rows, pair_metric

CASES: dict[str, Callable[[int | None], list[Case]]] = {
    "class_moments": class_moments.cases,
    "linear": linear.cases,
    "pair_metric": pair_metric.cases,
    "fabricated_rows": fabricated_rows.cases,
    "encoder": encoder.cases,
    "noisy_rows": noisy_rows.cases,
}
