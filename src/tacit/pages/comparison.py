"""Sections about what adopting changed: accuracy, classes, confusions."""

import numpy as np

from tacit.adoption.evidence.comparison import Comparison
from tacit.pages.charts import accuracy_chart, change_chart, percent, short
from tacit.pages.markup import Markup, joined, tag

# Changes are called an effect if chance alone would split them so unevenly with a smaller probability than this.
UNLIKELY = 0.05
# More classes than this get a matrix without the changes, in smaller letters.
FEW_CLASSES = 5
MOST_NAMED = 5

UNCHANGED = ", and changed nothing"
VIEW = (
    "The release also brought a public way to look at pictures, which holds no knowledge of its owner's rows. The bar "
    "in the middle is what your labels alone reach in that view; what lies beyond it came from the private rows."
)


def verdict(comparison: Comparison, weights: tuple[float, ...]) -> str:
    """Return the outcome in one sentence that claims no more than the rows show."""
    noun = "release" if len(weights) == 1 else "releases"
    before, after = percent(comparison.target_only.value), percent(comparison.adopted.value)
    if not any(weights):
        brought = " but a view of the pictures" if comparison.view_only else ""
        changed = f": {after} right instead of {before}" if comparison.helped + comparison.harmed else UNCHANGED
        return f"The {noun} carried nothing{brought} that your labels bear out{changed}."
    if comparison.helped == comparison.harmed:
        return f"With and without the {noun}, {after} of the rows are right."
    better = comparison.helped > comparison.harmed
    if comparison.chance < UNLIKELY:
        verb = ("helps" if better else "harms") if len(weights) == 1 else ("help" if better else "harm")
        return f"The {noun} {verb}: {after} right instead of {before}."
    verb = "seems" if len(weights) == 1 else "seem"
    return f"The {noun} {verb} to {'help' if better else 'harm'}: {after} right instead of {before}, on few rows."


def accuracy_part(comparison: Comparison) -> Markup:
    """Return both accuracies with their intervals, and what changed."""
    alone, adopted = comparison.target_only, comparison.adopted
    rows = [("Your labels alone", alone, "alone"), ("With what was adopted", adopted, "with")]
    if comparison.view_only is None:
        return joined(accuracy_chart(rows), tag("p", _changes(comparison)))
    rows.insert(1, ("Your labels, its view", comparison.view_only, "alone"))
    return joined(accuracy_chart(rows), tag("p", VIEW), tag("p", _changes(comparison)))


def _changes(comparison: Comparison) -> str:
    if not comparison.helped + comparison.harmed:
        return "Not one prediction became right or wrong through the release."
    counts = f"{comparison.helped} rows are right only with what was adopted, {comparison.harmed} only without."
    chance = "less than 0.1 %" if comparison.chance < 1e-3 else percent(comparison.chance)
    return f"{counts} If it made no difference, a split at least as uneven would come about with a chance of {chance}."


def classes_part(comparison: Comparison) -> Markup:
    """Return the change of accuracy of each class."""
    return change_chart(list(comparison.by_class()))


def confusion_part(comparison: Comparison) -> Markup:
    """Return the confusion matrix with the releases, and where it changed."""
    size = len(comparison.classes)
    many = size > FEW_CLASSES
    head = tag("tr", tag("td"), [tag("th", short(name), scope="col", title=name) for name in comparison.classes])
    rows = [
        tag(
            "tr",
            tag("th", short(name), scope="row", title=name),
            [_cell(comparison, true, predicted) for predicted in range(size)],
        )
        for true, name in enumerate(comparison.classes)
    ]
    note = "" if many else "; small numbers: the change against your labels alone"
    caption = tag("caption", f"Rows by true class (down) and predicted class (across){note}")
    matrix = tag("table", caption, tag("thead", head), tag("tbody", rows), class_=f"matrix{' many' * many}")
    return joined(tag("div", matrix, class_="scroll"), _commonest(comparison))


def _cell(comparison: Comparison, true: int, predicted: int) -> Markup:
    count, before = int(comparison.confusion[true, predicted]), int(comparison.confusion_only[true, predicted])
    share = count / max(int(comparison.confusion[true].sum()), 1)
    few = len(comparison.classes) <= FEW_CLASSES
    change = f"{count - before:+d}".replace("-", "−") if count != before and few else ""
    shown = str(count) if count or true == predicted else "·"
    small = tag("small", change) if change else None
    return tag(
        "td", shown, small, class_="hit" if true == predicted else None, style=f"--share: {0.04 + 0.46 * share:.3f}"
    )


def _commonest(comparison: Comparison) -> Markup | None:
    """Return the most frequent mistakes as text, for matrices of many classes."""
    wrong = comparison.confusion * (1 - np.eye(len(comparison.classes), dtype=np.int64))
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_NAMED]
    places = [divmod(int(place), len(comparison.classes)) for place in order]
    mistakes = [
        f"{comparison.classes[true]} taken for {comparison.classes[predicted]}: {int(wrong[true, predicted])}"
        for true, predicted in places
        if wrong[true, predicted]
    ]
    if len(comparison.classes) <= FEW_CLASSES or not mistakes:
        return None
    return tag("p", f"Commonest mistakes: {'; '.join(mistakes)}.", class_="small")
