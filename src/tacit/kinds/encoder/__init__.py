"""An encoder learned from a private table: features for other tables with the same columns."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

KIND = ReleaseKind(
    name="encoder",
    method="encoder",
    summary="an autoencoder's layers: features to learn from",
    package=__name__,
    files=("private_autoencoder",),
    units=(Unit.RECORD,),
    teaches=("features",),
)
