"""The audits of each kind of release: one line for each kind, in the order in which they run."""

from collections.abc import Mapping

from tacit.audit.case import ListCases
from tacit.audit.kinds import (
    additive,
    class_means,
    class_moments,
    encoder,
    fabricated_rows,
    linear,
    marginals,
    noisy_rows,
    pair_metric,
)

CASES: Mapping[str, ListCases] = {
    "class_means": class_means.cases,
    "class_moments": class_moments.cases,
    "additive": additive.cases,
    "linear": linear.cases,
    "noisy_rows": noisy_rows.cases,
    "fabricated_rows": fabricated_rows.cases,
    "pair_metric": pair_metric.cases,
    "encoder": encoder.cases,
    "marginals": marginals.cases,
}
