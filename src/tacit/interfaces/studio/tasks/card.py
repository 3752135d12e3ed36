"""Read a release or a card for a reviewer: its guarantee recomputed, who signed it, and its report."""

from typing import Any

from tacit.audit.card_audit import CardAudit
from tacit.files.atomic import write_text
from tacit.interfaces.studio.card_files import read_card_file
from tacit.interfaces.studio.guarantee_words import guarantee_facts
from tacit.interfaces.studio.worker import Order
from tacit.pages.guarantee import card_entries, guarantee_block, headline
from tacit.pages.layout import section, whole_page
from tacit.pages.markup import tag
from tacit.privacy import accounting
from tacit.privacy.card import Card
from tacit.releases.sidecar import open_release
from tacit.releases.signature import key_owner, load_public_key
from tacit.workflows.models import is_model_file
from tacit.workflows.report import report

ALONE = "A card without its release: nothing ties it to a file."


def run(order: Order) -> dict[str, Any]:
    """Return what the card of ``file`` claims and what its events cost; write its report beside the job."""
    path = order.folder.existing(order.arguments["file"])
    order.progress(f"checking every hash of {path.name}")
    if path.suffix == ".json":
        card = read_card_file(path)
        write_text(order.report, _card_page(card))
        return {"file": path.name, **_claims(card), "kind": "card"}
    if is_model_file(path):
        report(path, output=order.report)
        return {"file": path.name, "kind": "model"}
    key = order.arguments.get("key")
    trusted = order.folder.existing(key) if key else None
    release = open_release(path, trusted_key=None if trusted is None else load_public_key(trusted))
    order.progress("computing its epsilon again")
    claims = _claims(release.card)
    report(path, output=order.report)
    owner = "" if trusted is None else key_owner(trusted)
    return {
        "file": path.name,
        **claims,
        "kind": "release",
        "signer": release.signer or "",
        "digest": release.digest,
        "trusted": key or "",
        "owner": owner,
        "ledger": "" if not release.card.ledger else str(release.card.ledger["identifier"]),
    }


def _claims(card: Card) -> dict[str, Any]:
    audit = CardAudit(card.epsilon, accounting.epsilon(card.event, delta=card.delta), ())
    claims = {"claimed": f"{audit.claimed:.6g}", "recomputed": f"{audit.recomputed:.6g}", "adds_up": audit.adds_up}
    return {**claims, **guarantee_facts(card), "title": card.title, "headline": headline(card)}


def _card_page(card: Card) -> str:
    header = [tag("p", "tacit · a card", class_="kicker"), tag("h1", card.title[:1].upper() + card.title[1:])]
    sections = [
        section("Guarantee", "What it promises, and to whom.", guarantee_block(card, heading="In words", whole=False)),
        section("Card", "Everything that the promise rests on.", card_entries(card)),
    ]
    return whole_page(
        f"tacit card: {card.title}", header, sections, "A card without its release: nothing ties it to a file."
    )
