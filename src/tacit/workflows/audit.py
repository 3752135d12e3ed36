"""Audit a release: recompute its card, and play the games of its mechanisms."""

from pathlib import Path

from tacit.audit.card_audit import DRAWS, CardAudit, audit_card
from tacit.files.regular import FilePath
from tacit.releases.file import Release
from tacit.releases.sidecar import open_release
from tacit.workflows.tables import Progress, no_progress


def audit(
    release: Release | FilePath, *, draws: int = DRAWS, seed: int | None = None, progress: Progress = no_progress
) -> CardAudit:
    """Return the audit of a release's card: what its events cost together, and a game for each mechanism.

    ``release`` is one, or the path of a release or of a fabricated table; ``seed`` repeats an audit; ``progress`` is
    told before each game.
    """
    opened = release if isinstance(release, Release) else open_release(Path(release))
    return audit_card(opened.card, draws=draws, seed=seed, progress=progress)
