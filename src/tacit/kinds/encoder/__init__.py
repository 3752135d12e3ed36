"""An encoder learned from a private table: features for other tables with the same columns."""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

SUMMARY = "an autoencoder's layers: features to learn from"
KIND = ReleaseKind(__name__, "encoder", SUMMARY, (Unit.RECORD,), ("features",), ("private_autoencoder",))
