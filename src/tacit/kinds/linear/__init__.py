"""Weights of private logistic regressions on groups of columns."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

KIND = ReleaseKind(
    name="linear",
    method="linear",
    summary="weights of logistic regressions",
    package=__name__,
    files=("linear",),
    units=(Unit.RECORD,),
    teaches=("candidates", "prior"),
    row_count_public=True,
)
