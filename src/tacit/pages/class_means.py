"""Class means on a page: of a release, with the noise on one record, of the receiver, and of the model's layers."""

from collections.abc import Sequence

import numpy as np

from tacit.arrays import FloatArray
from tacit.data.schemas.schema import Schema
from tacit.kinds.class_moments.preview import ReleasePreview
from tacit.pages.charts import dot_rows, legend
from tacit.pages.markup import Markup, joined, tag
from tacit.pages.pictures import picture
from tacit.pages.table_summary import TableSummary
from tacit.privacy.budget import Unit

# Of more columns than this, those with the most different class means are shown.
MOST_COLUMNS = 8
SHOWN_CLASSES, MOST_CLASSES = 4, 20


def noise_part(preview: ReleasePreview, unit: Unit) -> Markup:
    """Return an example record, the same with the noise of the release, and a sentence that compares them."""
    name = preview.classes[preview.example]
    words = tag("p", _noise_in_words(preview, unit))
    if preview.shape:
        panels = [
            (preview.means[preview.example], f"an example: the released mean of “{name}”, which is no one's row"),
            (preview.with_noise, "the same with the noise of the release, as if it were the table's only record"),
        ]
        return joined(words, _pictures(panels, preview.shape, large=True))
    columns = most_different_columns(preview.means)
    example = [float(preview.means[preview.example][at]) for at in columns]
    noisy = [float(preview.with_noise[at]) for at in columns]
    span = (min(0.0, *example, *noisy), max(1.0, *example, *noisy))
    series = [("example record", example, "with"), ("the same with noise", noisy, "harm")]
    note = f"The example is the released mean of “{name}”. The band is all that a column may hold, bound to bound."
    strips = dot_rows([preview.names[at] for at in columns], series, span=span)
    return joined(words, _key(series), strips, tag("p", note, class_="small"))


def _noise_in_words(preview: ReleasePreview, unit: Unit) -> str:
    ratio = preview.ratio
    times = f"{ratio:.2g}" if ratio < 100 else f"{ratio:,.0f}"
    features = not (preview.pictures or preview.names)
    what = f" Shown are the {len(preview.with_noise):,} features that were summed." if features else ""
    if ratio < 1:
        shows = "so much of a record shows through it: look at the guarantee with care"
        return f"The noise is only about {times} times as large as a record, {shows}.{what}"
    lost = "a single entry is lost in it, a whole record is not" if unit is Unit.ENTRY else "one record is lost in it"
    rest = "Over many records noise averages out, so that classes stay visible."
    return f"The noise is about {times} times as large as a record: {lost}. {rest}{what}"


def released_classes(preview: ReleasePreview) -> Markup:
    """Return the released class means as pictures or as marks on columns."""
    if preview.shape:
        panels = [(preview.means[code], name) for code, name in enumerate(preview.classes[:MOST_CLASSES])]
        return _pictures(panels, preview.shape)
    columns = most_different_columns(preview.means)
    names = [preview.names[at] for at in columns]
    means = [("released mean", [float(row[at]) for at in columns], "with") for row in preview.means]
    parts = [
        joined(tag("h3", name), dot_rows(names, [mean])) for name, mean in zip(preview.classes, means, strict=True)
    ]
    return _gallery(parts)


def classes_side_by_side(preview: ReleasePreview, summary: TableSummary, schema: Schema) -> Markup:
    """Return the released mean of each class beside the means of the receiver's own rows."""
    if preview.pictures and schema.image is not None:
        return _picture_rows(preview, summary, schema)
    if preview.names:
        return _column_rows(preview, summary, schema)
    return _own_pictures(summary, schema)


def _picture_rows(preview: ReleasePreview, summary: TableSummary, schema: Schema) -> Markup:
    parts = []
    for code, name in enumerate(schema.classes):
        released = [preview.means[preview.classes.index(name)]] if name in preview.classes else []
        figures = [_figure(mean, preview.shape, "as released") for mean in released]
        figures += [_figure(own, _shape(schema), caption) for own, caption in _own_means(summary, schema, code)]
        parts.append(joined(tag("h3", name), tag("div", figures, class_="pictures")))
    return _gallery(parts)


def _own_pictures(summary: TableSummary, schema: Schema) -> Markup:
    """Return the receiver's own class means for a release without pictures of its own."""
    if schema.image is None:
        return tag(
            "p", "The release and your table share neither columns nor pictures that could be laid side by side."
        )
    words = "This release holds features, not pictures; these are your own rows as the model sorts them."
    panels = [(summary.predicted[code][schema.image_positions], name) for code, name in enumerate(schema.classes)]
    return joined(tag("p", words), _pictures(panels[:MOST_CLASSES], _shape(schema)))


def _own_means(summary: TableSummary, schema: Schema, code: int) -> list[tuple[FloatArray, str]]:
    pixels = schema.image_positions
    return [
        (summary.labelled[code][pixels], "your labelled rows"),
        (summary.predicted[code][pixels], "your rows as now sorted"),
    ]


def _column_rows(preview: ReleasePreview, summary: TableSummary, schema: Schema) -> Markup:
    """Return the columns that both tables have, class by class, in the receiver's units."""
    shared = schema.shared_with(preview.schema)
    if not shared.pairings:
        return tag("p", "The release and your table have no column of the same name.")
    released, ours = shared.to_ours(preview.means), shared.ours
    columns = most_different_columns(released)
    names = [schema.encoded_names[ours[at]] for at in columns]
    parts = []
    series: list[tuple[str, FloatArray, str]] = []
    for code, name in enumerate(schema.classes):
        if name not in preview.classes:
            continue
        series = [
            ("as released", released[preview.classes.index(name)], "with"),
            ("your labelled rows", summary.labelled[code][ours], "alone"),
            ("your rows as now sorted", summary.predicted[code][ours], "third"),
        ]
        marks = [(caption, [float(values[at]) for at in columns], colour) for caption, values, colour in series]
        parts.append(joined(tag("h3", name), dot_rows(names, marks)))
    note = (
        f"{len(shared.names)} columns are shared; the owner has {len(shared.only_theirs)} more, and you have "
        f"{len(shared.only_ours)} that the owner lacks. Shown: those that tell classes apart best."
    )
    return joined(tag("p", note, class_="small"), _key(series), _gallery(parts))


def layers_part(layers: FloatArray, means: FloatArray, schema: Schema) -> Markup:
    """Return pictures of the class means [C, p] and of their reconstructions [L, C, p] by each layer of the model."""
    captions = ["your rows as now sorted", *(f"layer {depth + 1}" for depth in range(len(layers)))]
    parts = []
    for code, name in enumerate(schema.classes):
        pictures = [values[schema.image_positions] for values in (means[code], *layers[:, code])]
        panels = list(zip(pictures, captions, strict=True))
        parts.append(joined(tag("h3", name), _pictures(panels, _shape(schema))))
    return _gallery(parts)


def _gallery(parts: Sequence[Markup]) -> Markup:
    """Return parts side by side where there is room; of many, the first few, the others to be unfolded."""
    first, rest = parts[:SHOWN_CLASSES], parts[SHOWN_CLASSES:MOST_CLASSES]
    gallery = tag("div", [tag("div", part) for part in first], class_="gallery")
    if not rest:
        return gallery
    more = tag("div", [tag("div", part) for part in rest], class_="gallery")
    return joined(gallery, tag("details", tag("summary", f"{len(rest)} more classes"), more))


def most_different_columns(means: FloatArray) -> list[int]:
    """Return the positions of the columns whose class means lie furthest apart, in the order of the table."""
    spread = means.max(axis=0) - means.min(axis=0)
    return sorted(np.argsort(-spread, kind="stable")[:MOST_COLUMNS].tolist())


def _key(series: Sequence[tuple[str, object, str]]) -> Markup:
    return legend([(caption, colour) for caption, _, colour in series])


def _shape(schema: Schema) -> tuple[int, ...]:
    return () if schema.image is None else schema.image.shape


def _pictures(panels: Sequence[tuple[FloatArray, str]], shape: tuple[int, ...], *, large: bool = False) -> Markup:
    figures = [_figure(values, shape, caption) for values, caption in panels]
    return tag("div", figures, class_=f"pictures{' large' * large}")


def _figure(values: FloatArray, shape: tuple[int, ...], caption: str) -> Markup:
    return tag("figure", picture(values, shape, alt=caption), tag("figcaption", caption))
