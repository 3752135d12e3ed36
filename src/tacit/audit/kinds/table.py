"""The audits of each kind of release: one line for each kind, in the order in which they run."""

from collections.abc import Mapping

from tacit.audit.case import ListCases
from tacit.audit.kinds.additive import cases as of_additive
from tacit.audit.kinds.class_means import cases as of_class_means
from tacit.audit.kinds.class_moments import cases as of_class_moments
from tacit.audit.kinds.encoder import cases as of_encoder
from tacit.audit.kinds.fabricated_rows import cases as of_fabricated_rows
from tacit.audit.kinds.linear import cases as of_linear
from tacit.audit.kinds.marginals import cases as of_marginals
from tacit.audit.kinds.noisy_rows import cases as of_noisy_rows
from tacit.audit.kinds.pair_metric import cases as of_pair_metric

CASES: Mapping[str, ListCases] = {
    "class_means": of_class_means,
    "class_moments": of_class_moments,
    "additive": of_additive,
    "linear": of_linear,
    "noisy_rows": of_noisy_rows,
    "fabricated_rows": of_fabricated_rows,
    "pair_metric": of_pair_metric,
    "encoder": of_encoder,
    "marginals": of_marginals,
}
