"""The sections that the page about a release has for its kind: one table, which a new kind adds a line to."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import ReleaseError
from tacit.kinds.class_moments import ENTRY_FILE, RECORD_FILE
from tacit.kinds.class_moments.preview import optional_preview
from tacit.kinds.marginals import FILE as MARGINALS_FILE
from tacit.models.additive.release import KIND as ADDITIVE_KIND
from tacit.models.linear.release import KIND as LINEAR_KIND
from tacit.models.linear.release import read_scores
from tacit.models.pair_metric.release import KIND as METRIC_KIND
from tacit.models.pair_metric.release import metric_of_columns
from tacit.pages import class_means
from tacit.pages.additive import additive_sections
from tacit.pages.charts import signed_chart, weight_chart
from tacit.pages.layout import section
from tacit.pages.marginal_tables import marginal_sections
from tacit.pages.markup import Markup, joined, tag
from tacit.releases.file import Release

# Columns of a metric or of a linear model that a page shows, the largest weights first: nobody reads more bars.
MOST_WEIGHTS = 12

Sections = Callable[[Release, Schema | None], list[Markup]]


def kind_sections(release: Release, schema: Schema | None) -> list[Markup]:
    """Return the sections of the release's kind; none for a kind that is not in `SECTIONS`."""
    sections = SECTIONS.get(release.kind)
    return [] if sections is None else sections(release, schema)


def _class_moments_sections(release: Release, _: Schema | None) -> list[Markup]:
    """Return the noise on an example record, and the released class means."""
    preview = optional_preview(release)
    if preview is None:
        return []
    aside = "Class means as handed out." if preview.pictures or preview.names else "Means of features of the pictures."
    return [
        section(
            "Noise",
            "What the owner's noise does to a single record.",
            class_means.noise_part(preview, release.card.unit),
        ),
        section("Classes", aside, class_means.released_classes(preview)),
    ]


def _metric_sections(release: Release, schema: Schema | None) -> list[Markup]:
    """Return how much each column counts in the metric: the length of its column of the transformation."""
    if schema is None:
        return []
    components, _ = metric_of_columns(release)
    rows = _largest(np.linalg.norm(components, axis=0), schema.encoded_names)
    aside = "How much a difference counts when two rows are compared, from end to end of its bounds."
    return [section("Metric", aside, weight_chart(rows))]


def _linear_sections(release: Release, schema: Schema | None) -> list[Markup]:
    """Return the largest weights of each two-class problem, and the length of the noise in them."""
    scores = read_scores(release)
    names = _column_names(schema, scores.weights.shape[1])
    classes = schema.classes if schema is not None and schema.classes else tuple(map(str, release.settings["classes"]))
    # Two classes are one problem: the second class against the first.
    problems = [f"{classes[1]} rather than {classes[0]}"] if len(scores.weights) == 1 else classes
    charts = [
        joined(tag("h3", problem), signed_chart(_largest(weights, names)))
        for problem, weights in zip(problems, scores.weights, strict=True)
    ]
    length = float(np.sqrt((scores.weights**2).sum(axis=1).mean()))
    noise = float(np.linalg.norm(scores.noise))
    words = (
        f"All weights of one problem together have the length {length:.3g}; the noise in them has an expected length "
        f"of {noise:.3g}. Shown are the {min(MOST_WEIGHTS, len(names))} largest of {len(names)}, as released."
    )
    aside = "To the right: a high value makes the class more likely. To the left: less likely."
    return [section("Weights", aside, joined(tag("p", words), charts))]


def _column_names(schema: Schema | None, n_columns: int) -> Sequence[str]:
    if schema is None:
        return [f"column {position + 1}" for position in range(n_columns)]
    if len(schema.encoded_names) != n_columns:
        raise ReleaseError("the release's weights and its schema differ in their columns; it is malformed.")
    return schema.encoded_names


def _largest(weights: FloatArray, names: Sequence[str]) -> list[tuple[str, float]]:
    """Return names and weights of the columns with the largest absolute weights, the largest first."""
    order = np.argsort(-np.abs(weights), kind="stable")[:MOST_WEIGHTS]
    return [(names[position], float(weights[position])) for position in order]


SECTIONS: Mapping[str, Sections] = {
    RECORD_FILE: _class_moments_sections,
    ENTRY_FILE: _class_moments_sections,
    ADDITIVE_KIND: additive_sections,
    LINEAR_KIND: _linear_sections,
    METRIC_KIND: _metric_sections,
    MARGINALS_FILE: marginal_sections,
}
