"""Class sums of pictures of several owners, pooled before anything is read from them."""

from collections.abc import Sequence
from dataclasses import replace

from tacit.kinds.class_moments import RECORD_FILE
from tacit.models.class_moments.features import ImageFeatures, features_of
from tacit.models.class_moments.pooled_sums import pooled_sums
from tacit.releases.file import Release
from tacit.releases.kind import PooledRelease
from tacit.releases.lesson import owner_schema


def pool(releases: Sequence[Release]) -> PooledRelease | None:
    """Return what ``releases`` say together; None unless all hold sums of the same features of the same classes.

    Columns of tables may have other bounds at other owners, which pictures have not: those are not pooled.
    """
    schemas = [owner_schema(each) for each in releases]
    features = features_of(schemas[0])
    alike = all(features_of(each) == features and each.classes == schemas[0].classes for each in schemas)
    if not isinstance(features, ImageFeatures) or not alike or any(each.kind != RECORD_FILE for each in releases):
        return None
    together = pooled_sums(
        [each.arrays["sums"] for each in releases],
        [each.arrays["counts"] for each in releases],
        [float(each.settings["sigma"]) for each in releases],
    )
    arrays = {"sums": together.sums, "counts": together.counts}
    release = replace(releases[0], arrays=arrays, settings={**releases[0].settings, "sigma": together.sigma})
    return PooledRelease(release, tuple(together.shares.tolist()))
