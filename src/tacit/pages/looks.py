"""The part of the page that shows what a release looks like: its classes, its noise, and the layers of the model."""

from collections.abc import Sequence

import numpy as np

from tacit.arrays import FloatArray
from tacit.data.schema import Schema
from tacit.kinds.class_moments.preview import Glimpse
from tacit.pages.charts import dot_rows, legend
from tacit.pages.markup import Markup, joined, tag
from tacit.pages.pictures import picture
from tacit.pages.portraits import Portraits
from tacit.privacy.budget import Unit

# More columns than this are not shown: those that tell the classes apart best are.
MOST_COLUMNS = 8
SHOWN_CLASSES, MOST_CLASSES = 4, 20


def noise_part(seen: Glimpse, unit: Unit) -> Markup:
    """Return what noise did to a record: an example, and the same with the noise of the release."""
    name = seen.classes[seen.example]
    words = tag("p", _noise_in_words(seen, unit))
    if seen.shape:
        shown = f"an example: the released mean of “{name}”, which is no one's row"
        alone = "the same with the noise of the release, as if it were the table's only record"
        return joined(
            words, _pictures([(seen.means[seen.example], shown), (seen.with_noise, alone)], seen.shape, large=True)
        )
    chosen = telling_columns(seen.means)
    example, noisy = ([float(values[at]) for at in chosen] for values in (seen.means[seen.example], seen.with_noise))
    span = (min(0.0, *example, *noisy), max(1.0, *example, *noisy))
    series = [("example record", example, "with"), ("the same with noise", noisy, "harm")]
    note = f"The example is the released mean of “{name}”. The band is all that a column may hold, bound to bound."
    strips = dot_rows([seen.names[at] for at in chosen], series, span=span)
    return joined(words, _key(series), strips, tag("p", note, class_="small"))


def _noise_in_words(seen: Glimpse, unit: Unit) -> str:
    times = f"{seen.ratio:.2g}" if seen.ratio < 100 else f"{seen.ratio:,.0f}"
    what = "" if seen.pictures or seen.names else f" Shown are the {len(seen.with_noise):,} features that were summed."
    if seen.ratio < 1:
        shows = "so much of a record shows through it: look at the guarantee with care"
        return f"The noise is only about {times} times as large as a record, {shows}.{what}"
    lost = "a single entry is lost in it, a whole record is not" if unit is Unit.ENTRY else "one record is lost in it"
    rest = "Over many records noise averages out, so that classes stay visible."
    return f"The noise is about {times} times as large as a record: {lost}. {rest}{what}"


def released_classes(seen: Glimpse) -> Markup:
    """Return the class means as handed out."""
    if seen.shape:
        panels = [(seen.means[code], name) for code, name in enumerate(seen.classes[:MOST_CLASSES])]
        return _pictures(panels, seen.shape)
    chosen = telling_columns(seen.means)
    names = [seen.names[at] for at in chosen]
    means = [("released mean", [float(row[at]) for at in chosen], "with") for row in seen.means]
    parts = [joined(tag("h3", name), dot_rows(names, [mean])) for name, mean in zip(seen.classes, means, strict=True)]
    return _gallery(parts)


def classes_side_by_side(seen: Glimpse, portraits: Portraits, schema: Schema) -> Markup:
    """Return each class as the release shows it beside the receiver's own rows."""
    if seen.pictures and schema.image is not None:
        return _picture_rows(seen, portraits, schema)
    if seen.names:
        return _column_rows(seen, portraits, schema)
    return _own_pictures(portraits, schema)


def _picture_rows(seen: Glimpse, portraits: Portraits, schema: Schema) -> Markup:
    parts = []
    for code, name in enumerate(schema.classes):
        theirs = [seen.means[seen.classes.index(name)]] if name in seen.classes else []
        figures = [_figure(mean, seen.shape, "as released") for mean in theirs]
        figures += [_figure(own, _shape(schema), caption) for own, caption in _own(portraits, schema, code)]
        parts.append(joined(tag("h3", name), tag("div", figures, class_="pictures")))
    return _gallery(parts)


def _own_pictures(portraits: Portraits, schema: Schema) -> Markup:
    """Return the receiver's own classes where the release has no picture of its own."""
    if schema.image is None:
        return tag(
            "p", "The release and your table share neither columns nor pictures that could be laid side by side."
        )
    words = "This release holds features, not pictures; these are your own rows as the model sorts them."
    panels = [(portraits.sorted[code][schema.image_positions], name) for code, name in enumerate(schema.classes)]
    return joined(tag("p", words), _pictures(panels[:MOST_CLASSES], _shape(schema)))


def _own(portraits: Portraits, schema: Schema, code: int) -> list[tuple[FloatArray, str]]:
    pixels = schema.image_positions
    return [
        (portraits.labelled[code][pixels], "your labelled rows"),
        (portraits.sorted[code][pixels], "your rows as now sorted"),
    ]


def _column_rows(seen: Glimpse, portraits: Portraits, schema: Schema) -> Markup:
    """Return the columns that both sides have, class by class, in the receiver's units."""
    shared = schema.shared_with(seen.schema)
    if not shared.pairings:
        return tag("p", "The release and your table have no column of the same name.")
    released, ours = shared.to_ours(seen.means), shared.ours
    chosen = telling_columns(released)
    names = [schema.encoded_names[ours[at]] for at in chosen]
    parts = []
    series: list[tuple[str, FloatArray, str]] = []
    for code, name in enumerate(schema.classes):
        if name not in seen.classes:
            continue
        series = [
            ("as released", released[seen.classes.index(name)], "with"),
            ("your labelled rows", portraits.labelled[code][ours], "alone"),
            ("your rows as now sorted", portraits.sorted[code][ours], "third"),
        ]
        marks = [(caption, [float(values[at]) for at in chosen], colour) for caption, values, colour in series]
        parts.append(joined(tag("h3", name), dot_rows(names, marks)))
    note = (
        f"{len(shared.names)} columns are shared; the owner has {len(shared.only_theirs)} more, and you have "
        f"{len(shared.only_ours)} that the owner lacks. Shown: those that tell classes apart best."
    )
    return joined(tag("p", note, class_="small"), _key(series), _gallery(parts))


def layers_part(layers: FloatArray, rows: FloatArray, schema: Schema) -> Markup:
    """Return pictures [L, C, p] of the class means ``rows`` as each layer of the model sees them."""
    captions = ["your rows as now sorted", *(f"layer {depth + 1}" for depth in range(len(layers)))]
    parts = []
    for code, name in enumerate(schema.classes):
        seen = [values[schema.image_positions] for values in (rows[code], *layers[:, code])]
        panels = list(zip(seen, captions, strict=True))
        parts.append(joined(tag("h3", name), _pictures(panels, _shape(schema))))
    return _gallery(parts)


def _gallery(parts: Sequence[Markup]) -> Markup:
    """Return parts side by side where there is room; of many, the first few, the others to be unfolded."""
    first, rest = parts[:SHOWN_CLASSES], parts[SHOWN_CLASSES:MOST_CLASSES]
    shown = tag("div", [tag("div", part) for part in first], class_="gallery")
    if not rest:
        return shown
    more = tag("div", [tag("div", part) for part in rest], class_="gallery")
    return joined(shown, tag("details", tag("summary", f"{len(rest)} more classes"), more))


def telling_columns(means: FloatArray) -> list[int]:
    """Return the columns whose class means lie furthest apart, in their own order."""
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
