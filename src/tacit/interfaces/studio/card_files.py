"""Cards in JSON files: a folder may hold other JSON too, such as the plan of a joint release."""

from pathlib import Path

from tacit.errors import InputError, TacitError
from tacit.files import strict_json
from tacit.files.regular import read_small
from tacit.privacy.card import Card
from tacit.releases.file import read_card
from tacit.situations.joint.plan import SignedPlan

LARGEST_CARD = 4 << 20


def read_card_file(path: Path) -> Card:
    """Return the card in a JSON file, as ``tacit card --json`` prints it."""
    return read_card(strict_json.load(read_small(path, largest=LARGEST_CARD), path.name))


def is_card_file(path: Path) -> bool:
    """Return whether a JSON file holds a card."""
    try:
        read_card_file(path)
    except TacitError:
        return False
    return True


def require_card_file(path: Path) -> None:
    """Raise InputError, which says what else it is, unless a JSON file holds a card."""
    if is_card_file(path):
        return
    try:
        SignedPlan.read(path)
    except TacitError:
        raise InputError(f"{path.name} is neither a release (*.tacit) nor a card (*.json).") from None
    raise InputError(f"{path.name} is the plan of a joint release, not its card: `tacit join status` shows it.")
