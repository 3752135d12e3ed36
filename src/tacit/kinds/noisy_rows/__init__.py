"""Rows with noise in every entry, and their class codes: what a party of a federation answers from."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

FILE = "federated_rows"

KIND = ReleaseKind(
    name="noisy_rows",
    method="rows",
    summary="every row with noise in every entry, per entry",
    package=__name__,
    files=(FILE,),
    units=(Unit.ENTRY,),
    teaches=("candidates",),
)
