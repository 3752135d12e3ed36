"""A metric learned from pairs of a private table's rows."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

KIND = ReleaseKind(
    name="pair_metric",
    method="pairs",
    summary="a metric learned from pairs of rows",
    package=__name__,
    files=("pair_metric",),
    units=(Unit.PAIR,),
    teaches=("metric",),
)
