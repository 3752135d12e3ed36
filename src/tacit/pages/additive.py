"""The sections of a page about an additive release: its private check, and its curves."""

import math

import numpy as np

from tacit.data.schemas.schema import Schema
from tacit.models.additive.model import AdditiveClassifier, AdditiveCurves, AdditiveRegression
from tacit.models.additive.release import read_additive
from tacit.pages.curves import MOST_CURVES, curve_charts, strongest_curves
from tacit.pages.layout import section
from tacit.pages.markup import Markup, joined, tag
from tacit.pages.pair_maps import pair_maps
from tacit.releases.file import Release


def additive_sections(release: Release, _: Schema | None) -> list[Markup]:
    """Return the quality that the owner's own check found, and the learned curves with their noise."""
    model = read_additive(release)
    curves = strongest_curves(model.curves)
    n_columns = len(model.curves.levels)
    shown = "All are" if n_columns <= MOST_CURVES else f"The {MOST_CURVES} of {n_columns} that move scores most are"
    words = (
        f"A row's score is the sum of its columns' curves. {shown} shown. Bands are two standard deviations of the "
        "noise wide on either side; curves are shrunk by the noise in them."
    )
    aside = "What each column adds to a score, learned from noisy answers."
    charts = joined(tag("p", words), curve_charts(curves, score_names(model)))
    parts = [
        section("Quality", "Measured on the owner's rows, with noise.", quality(model)),
        section("Curves", aside, charts),
    ]
    return [*parts, *_pair_sections(model)]


def _pair_sections(model: AdditiveClassifier | AdditiveRegression) -> list[Markup]:
    if not model.curves.pairs:
        return []
    words = (
        f"{len(model.curves.pairs)} pairs of columns were chosen by a noisy query; shown are the strongest. A cell "
        "says what the two columns add together beyond their curves: blue more, red less, grey where noise explains it."
    )
    aside = "Where two columns say more together than apart."
    return [section("Pairs", aside, joined(tag("p", words), pair_maps(model.curves, score_names(model))))]


def noise_share(curves: AdditiveCurves) -> tuple[float, float]:
    """Return the spread of scores over rows whose columns are independent, and that of the noise in them."""
    tables = [(curves.shares, curves.values, curves.deviations)]
    tables += [(pair.shares, pair.values, pair.deviations) for pair in curves.pairs]
    signal, noise = (float(np.mean(sum(table[0] @ table[part] ** 2 for table in tables))) for part in (1, 2))
    return math.sqrt(signal), math.sqrt(noise)


def score_names(model: AdditiveClassifier | AdditiveRegression) -> list[str]:
    """Return what each of the model's scores speaks for."""
    if isinstance(model, AdditiveRegression):
        return ["the target, in spreads"]
    return [f"for {model.classes[1]}"] if len(model.classes) == 2 else [f"for {name}" for name in model.classes]


def quality(model: AdditiveClassifier | AdditiveRegression) -> Markup:
    """Return the private figures of the model's quality, in words."""
    check, facts = model.check, model.facts
    noisy = f"about {facts['n_rows']:.0f} rows, {facts['n_steps']} noisy steps"
    if isinstance(model, AdditiveRegression):
        figures = [("share of the variance explained", f"{model.check.r_squared:.2f}")]
    else:
        shares = ", ".join(
            f"{name} {100 * share:.1f} %" for name, share in zip(model.classes, model.check.shares, strict=True)
        )
        figures = [("area under the ROC curve", f"{model.check.auc:.2f}"), ("shares of the classes", shares)]
    spread, noise = noise_share(model.curves)
    bought = f"scores spread by {spread:.2f} from row to row, of which {noise:.2f} may be noise"
    figures += [("learned from", noisy), ("what epsilon bought", bought)]
    doubt = (
        "That is more than noise explains."
        if check.separation_z >= 2
        else "Noise alone may explain that: this release may hold nothing. Spend more epsilon or add rows."
    )
    z = f"{check.separation_z:.1f} standard deviations of noise and chance"
    return joined(
        tag(
            "p",
            f"The scores were counted once more, with noise. They lie {z} from scores that predict nothing. {doubt}",
        ),
        tag("dl", [joined(tag("dt", name), tag("dd", value)) for name, value in figures]),
    )
