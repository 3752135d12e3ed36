"""A kind of release that only the tests know: noisy class counts above the middle of the first column."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

KIND = ReleaseKind(
    name="scratch",
    method="scratch",
    summary="class counts on both sides of a threshold",
    package=__name__,
    files=("scratch_counts",),
    units=(Unit.RECORD,),
    teaches=("candidates",),
)
