"""The file of an additive release: curves, their noise, the check, and the card."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Arrays
from tacit.errors import ReleaseError, TacitError
from tacit.models.additive.class_check import ClassCheck
from tacit.models.additive.levels import ColumnLevels, levels_from_dict, levels_to_dict
from tacit.models.additive.model import AdditiveClassifier, AdditiveCurves, AdditiveRegression
from tacit.models.additive.number_check import NumberCheck
from tacit.models.additive.pairs import PairCurve, pair_from_dict, pairs_to_list
from tacit.privacy.account import Account
from tacit.privacy.card import Card
from tacit.releases.file import Release

KIND = "additive"
ADJACENCY = "two tables are neighbours if one of them has one row more, with its label"
PUBLIC = "the schema: columns, their bounds and categories, and those of what is learned"
# Arrays of the tables of pairs, one behind the other.
PAIR_PARTS = ("values", "deviations", "shares")
AdditiveModel = AdditiveClassifier | AdditiveRegression


def additive_card(account: Account, *, extra: tuple[str, ...] = ()) -> Card:
    """Return the card of an additive release; ``extra`` says what else is assumed to be public."""
    return account.card(
        "curves of an additive model, tables of pairs of columns, and a check of its scores",
        adjacency=ADJACENCY,
        assumptions=[PUBLIC, "numbers beyond their bounds are moved to them", *extra],
        not_protected=[PUBLIC],
    )


def additive_release(model: AdditiveModel, card: Card, *, schema: Mapping[str, Any] | None = None) -> Release:
    """Return the file to hand out."""
    arrays, settings = additive_parts(model)
    return Release(KIND, arrays, settings, card, schema)


def additive_parts(model: AdditiveModel) -> tuple[Arrays, dict[str, Any]]:
    """Return arrays and JSON-ready settings from which `model_from_parts` makes the model again."""
    curves = model.curves
    arrays: Arrays = {
        "values": curves.values,
        "deviations": curves.deviations,
        "intercept": curves.intercept,
        "shares": curves.shares,
        "covariance": model.check.covariance,
    }
    settings: dict[str, Any] = {"levels": levels_to_dict(curves.levels), "facts": model.facts}
    if curves.pairs:
        arrays |= {
            f"pair_{name}": np.concatenate([getattr(pair, name) for pair in curves.pairs]) for name in PAIR_PARTS
        }
        settings["pairs"] = pairs_to_list(curves.pairs)
    if isinstance(model, AdditiveClassifier):
        arrays |= {"offsets": model.check.offsets, "class_shares": model.check.shares}
        settings |= {"classes": list(model.classes), "check": _class_figures(model.check)}
    else:
        settings |= {"target": _target(model), "check": _number_figures(model.check)}
    return arrays, settings


def read_additive(release: Release) -> AdditiveModel:
    """Return the model in an additive release; one of another kind, or a malformed one, is refused."""
    if release.kind != KIND:
        raise ReleaseError(f"the release is of kind {release.kind!r}; an additive one comes from --method additive.")
    try:
        model = model_from_parts(release.arrays, release.settings)
        _require_shapes(model)
    except (KeyError, TypeError, ValueError, IndexError, TacitError) as problem:
        raise ReleaseError(f"the additive release is malformed: {problem}") from problem
    return model


def model_from_parts(parts: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> AdditiveModel:
    """Return the model that `additive_parts` took apart."""
    arrays = {name: np.asarray(array, dtype=np.float64) for name, array in parts.items()}
    levels = levels_from_dict(settings["levels"])
    pairs = _pair_tables(arrays, settings.get("pairs", []), levels)
    curves = AdditiveCurves(
        levels, arrays["values"], arrays["deviations"], arrays["intercept"], arrays["shares"], pairs
    )
    figures, facts = settings["check"], dict(settings["facts"])
    if "classes" in settings:
        class_check = ClassCheck(
            offsets=arrays["offsets"], covariance=arrays["covariance"], shares=arrays["class_shares"], **figures
        )
        return AdditiveClassifier(curves, class_check, tuple(settings["classes"]), facts)
    target = settings["target"]
    bounds = float(target["bounds"][0]), float(target["bounds"][1])
    number_check = NumberCheck(covariance=arrays["covariance"], **figures)
    return AdditiveRegression(curves, number_check, float(target["centre"]), float(target["spread"]), bounds, facts)


def _pair_tables(
    arrays: Arrays, content: Sequence[dict[str, Any]], levels: tuple[ColumnLevels, ...]
) -> tuple[PairCurve, ...]:
    """Return the tables of pairs; releases written before there were any have none."""
    pairs = [pair_from_dict(each, levels) for each in content]
    if not pairs:
        return ()
    ends = np.cumsum([pair.size for pair in pairs])
    if any(len(arrays[f"pair_{name}"]) != ends[-1] for name in PAIR_PARTS):
        raise ReleaseError(f"tables of pairs must have {ends[-1]} cells.")
    values, deviations, shares = (np.split(arrays[f"pair_{name}"], ends[:-1]) for name in PAIR_PARTS)
    return tuple(map(PairCurve, pairs, values, deviations, shares))


def _class_figures(check: ClassCheck) -> dict[str, float]:
    names = ("scale", "auc", "separation", "separation_z")
    return {name: float(getattr(check, name)) for name in names}


def _number_figures(check: NumberCheck) -> dict[str, float]:
    names = ("scale", "offset", "residual_variance", "r_squared", "separation_z")
    return {name: float(getattr(check, name)) for name in names}


def _target(model: AdditiveRegression) -> dict[str, Any]:
    return {"centre": model.centre, "spread": model.spread, "bounds": list(model.bounds)}


def _require_shapes(model: AdditiveModel) -> None:
    curves, n_scores = model.curves, 1
    if isinstance(model, AdditiveClassifier):
        n_scores = 1 if len(model.classes) == 2 else len(model.classes)
        if model.check.offsets.shape != (n_scores,) or model.check.shares.shape != (len(model.classes),):
            raise ReleaseError(f"offsets and class shares must fit {len(model.classes)} classes.")
    shape = (curves.layout.size, n_scores)
    if curves.values.shape != shape or curves.deviations.shape != shape or curves.shares.shape != shape[:1]:
        raise ReleaseError(f"curves must have {shape[0]} levels and {shape[1]} scores.")
    if any(pair.values.shape[1:] != shape[1:] or pair.deviations.shape[1:] != shape[1:] for pair in curves.pairs):
        raise ReleaseError(f"tables of pairs must have {n_scores} scores.")
    if curves.intercept.shape != (n_scores,) or model.check.covariance.shape != (n_scores + 1,) * 2:
        raise ReleaseError(f"intercept and covariance must fit {n_scores} scores.")
