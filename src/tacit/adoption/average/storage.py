"""Averages over hypotheses, kernel features, trees and representations as named arrays and settings, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.adoption.average.average import Average
from tacit.adoption.average.binary_member import BinaryMember
from tacit.adoption.average.boosted_trees import BoostedTrees
from tacit.adoption.average.hypotheses import Hypothesis, Usage
from tacit.adoption.average.kernel_features import KernelFeatures
from tacit.adoption.average.representation import Representation
from tacit.adoption.average.softmax_member import SoftmaxMember
from tacit.adoption.average.target_member import TargetMember
from tacit.adoption.average.weighted_members import WeightedMembers
from tacit.arrays import Arrays

MemberParts = tuple[Arrays, dict[str, Any]]
Stored = Mapping[str, NDArray[Any]]
StoredMember = BinaryMember | SoftmaxMember | TargetMember
FORMS: dict[str, type[StoredMember]] = {"binary": BinaryMember, "softmax": SoftmaxMember, "target": TargetMember}


def average_parts(average: Average[Any]) -> MemberParts:
    """Return an average as arrays and JSON-ready settings."""
    arrays: Arrays = {"used": average.used, "reversed": average.reversed}
    settings: dict[str, Any] = {"probability": average.probability, "support": average.support, "joined": None}
    for name, group in (("alone", average.alone), ("joined", average.joined)):
        if group is None:
            continue
        arrays[f"{name}_weights"] = group.weights
        parts = [_member_parts(member) for member in group.members]
        for place, (more, _) in enumerate(parts):
            arrays |= named(more, f"{name}_{place}")
        settings[name] = [each for _, each in parts]
    return arrays, settings


def stored_average(arrays: Stored, settings: Mapping[str, Any]) -> Average[Any]:
    """Return the average that ``average_parts`` took apart."""
    groups = {
        name: WeightedMembers(
            np.asarray(arrays[f"{name}_weights"]),
            tuple(_stored_member(under(arrays, f"{name}_{place}"), each) for place, each in enumerate(settings[name])),
        )
        for name in ("alone", "joined")
        if settings[name] is not None
    }
    used, against = np.asarray(arrays["used"]), np.asarray(arrays["reversed"])
    # Files written before classes without labels had their own treatment say nothing of it: then it is as it was.
    support = float(settings.get("support", 0.0))
    return Average(groups["alone"], groups.get("joined"), float(settings["probability"]), used, against, support)


def kernel_parts(features: Mapping[str, KernelFeatures]) -> tuple[Arrays, list[dict[str, Any]]]:
    """Return kernel features as arrays and JSON-ready settings."""
    arrays: Arrays = {}
    for place, each in enumerate(features.values()):
        arrays |= {f"{place}_anchors": each.anchors, f"{place}_projection": each.projection}
    named_kernels = [{"name": name, "kernel": each.kernel, "size": each.size} for name, each in features.items()]
    return arrays, named_kernels


def stored_kernels(arrays: Stored, settings: Sequence[Mapping[str, Any]]) -> dict[str, KernelFeatures]:
    """Return the kernel features that ``kernel_parts`` took apart."""
    return {
        str(each["name"]): KernelFeatures(
            str(each["kernel"]), float(each["size"]), arrays[f"{place}_anchors"], arrays[f"{place}_projection"]
        )
        for place, each in enumerate(settings)
    }


def array_fields(part: BoostedTrees | Representation) -> Arrays:
    """Return a part of arrays alone by the names of its fields."""
    return {each.name: np.asarray(getattr(part, each.name)) for each in fields(part)}


def stored_fields(kind: type[Any], arrays: Stored) -> Any:
    """Return the part of ``kind`` that ``array_fields`` took apart."""
    return kind(**{each.name: arrays[each.name] for each in fields(kind)})


def named(arrays: Stored, prefix: str) -> Arrays:
    """Return the arrays under names that begin with ``prefix``."""
    return {f"{prefix}_{name}": array for name, array in arrays.items()}


def under(arrays: Stored, prefix: str) -> Arrays:
    """Return the arrays whose names begin with ``prefix``, without it."""
    start = f"{prefix}_"
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


def _member_parts(member: StoredMember) -> MemberParts:
    form = next(name for name, kind in FORMS.items() if isinstance(member, kind))
    values = {each.name: getattr(member, each.name) for each in fields(member) if each.name != "hypothesis"}
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    numbers = {name: float(value) for name, value in values.items() if name not in arrays}
    return arrays, {"form": form, "hypothesis": asdict(member.hypothesis), **numbers}


def _stored_member(arrays: Stored, settings: Mapping[str, Any]) -> StoredMember:
    kind = FORMS[str(settings["form"])]
    names = [each.name for each in fields(kind) if each.name != "hypothesis"]
    values: dict[str, Any] = {name: arrays[name] if name in arrays else float(settings[name]) for name in names}
    return kind(hypothesis=_stored_hypothesis(settings["hypothesis"]), **values)


def _stored_hypothesis(settings: Mapping[str, Any]) -> Hypothesis:
    usage = dict(settings["usage"])
    return Hypothesis(**{**settings, "usage": Usage(**{**usage, "signs": tuple(usage["signs"])})})
