"""The part of the page that says what adopting did: accuracy, classes, confusions."""

import numpy as np

from tacit.adoption.comparison import Comparison
from tacit.pages.charts import accuracy_chart, change_chart, percent, points, short
from tacit.pages.markup import Markup, joined, tag

# A split of the changed rows that is less likely than this by chance is called an effect.
UNLIKELY = 0.05
# More classes than this get a matrix without the changes, in smaller letters.
FEW_CLASSES = 5
MOST_NAMED = 5

VIEW = (
    "The release also brought a public way to look at pictures, which holds no knowledge of its owner's rows. The bar "
    "in the middle is what your labels alone reach in that view; what lies beyond it came from the private rows."
)


def verdict(found: Comparison, weights: tuple[float, ...]) -> str:
    """Return the outcome in one sentence that claims no more than the rows show."""
    noun = "release" if len(weights) == 1 else "releases"
    before, after = percent(found.target_only.value), percent(found.adopted.value)
    if not any(weights):
        brought = " but a view of the pictures" if found.view_only else ""
        changed = ", and changed nothing" if not found.helped + found.harmed else f": {after} right instead of {before}"
        return f"The {noun} carried nothing{brought} that your labels bear out{changed}."
    if found.helped == found.harmed:
        return f"With and without the {noun}, {after} of the rows are right."
    better = found.helped > found.harmed
    if found.chance < UNLIKELY:
        verb = ("helps" if better else "harms") if len(weights) == 1 else ("help" if better else "harm")
        return f"The {noun} {verb}: {after} right instead of {before}."
    verb = "seems" if len(weights) == 1 else "seem"
    return f"The {noun} {verb} to {'help' if better else 'harm'}: {after} right instead of {before}, on few rows."


def figures(found: Comparison, n_labelled: int, n_unlabelled: int) -> Markup:
    """Return the numbers to remember."""
    cells = [
        ("", percent(found.target_only.value), "right with your labels alone"),
        ("with", percent(found.adopted.value), f"right with what was adopted ({points(found.points)} points)"),
        ("", f"{n_labelled:,}", f"labelled rows, and {n_unlabelled:,} unlabelled"),
    ]
    return tag(
        "div",
        [
            tag("div", tag("b", number), tag("span", words), class_=f"figure {colour}")
            for colour, number, words in cells
        ],
        class_="figures",
    )


def accuracy_part(found: Comparison) -> Markup:
    """Return both accuracies with their intervals, and what changed."""
    rows = [("Your labels alone", found.target_only, "alone"), ("With what was adopted", found.adopted, "with")]
    if found.view_only is None:
        return joined(accuracy_chart(rows), tag("p", _changes(found)))
    rows.insert(1, ("Your labels, its view", found.view_only, "alone"))
    return joined(accuracy_chart(rows), tag("p", VIEW), tag("p", _changes(found)))


def _changes(found: Comparison) -> str:
    if not found.helped + found.harmed:
        return "Not one prediction became right or wrong through the release."
    said = f"{found.helped} rows are right only with what was adopted, {found.harmed} only without."
    chance = "less than 0.1 %" if found.chance < 1e-3 else percent(found.chance)
    return f"{said} If it made no difference, a split at least as uneven would come about with a chance of {chance}."


def classes_part(found: Comparison) -> Markup:
    """Return what adopting did to each class."""
    return change_chart(list(found.by_class()))


def confusion_part(found: Comparison) -> Markup:
    """Return the confusion matrix with the releases, and where it changed."""
    size = len(found.classes)
    many = size > FEW_CLASSES
    head = tag("tr", tag("td"), [tag("th", short(name), scope="col", title=name) for name in found.classes])
    rows = [
        tag(
            "tr",
            tag("th", short(name), scope="row", title=name),
            [_cell(found, true, predicted) for predicted in range(size)],
        )
        for true, name in enumerate(found.classes)
    ]
    note = "" if many else "; small numbers: the change against your labels alone"
    caption = tag("caption", f"Rows by true class (down) and predicted class (across){note}")
    matrix = tag("table", caption, tag("thead", head), tag("tbody", rows), class_=f"matrix{' many' * many}")
    return joined(tag("div", matrix, class_="scroll"), _commonest(found))


def _cell(found: Comparison, true: int, predicted: int) -> Markup:
    count, before = int(found.confusion[true, predicted]), int(found.confusion_only[true, predicted])
    share = count / max(int(found.confusion[true].sum()), 1)
    change = f"{count - before:+d}".replace("-", "−") if count != before and len(found.classes) <= FEW_CLASSES else ""
    shown = str(count) if count or true == predicted else "·"
    small = tag("small", change) if change else None
    return tag(
        "td", shown, small, class_="hit" if true == predicted else None, style=f"--share: {0.04 + 0.46 * share:.3f}"
    )


def _commonest(found: Comparison) -> Markup | None:
    """Return the mistakes that are made most often, for tables too large to take in at once."""
    wrong = found.confusion * (1 - np.eye(len(found.classes), dtype=np.int64))
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_NAMED]
    places = [divmod(int(place), len(found.classes)) for place in order]
    named = [
        f"{found.classes[true]} taken for {found.classes[predicted]}: {int(wrong[true, predicted])}"
        for true, predicted in places
        if wrong[true, predicted]
    ]
    if len(found.classes) <= FEW_CLASSES or not named:
        return None
    return tag("p", f"Commonest mistakes: {'; '.join(named)}.", class_="small")
