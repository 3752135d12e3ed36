"""The page about a release: its guarantee, the sections of its kind, and its columns."""

from tacit.data.schemas.schema import Schema
from tacit.errors import ReleaseError, TacitError
from tacit.pages.guarantee import card_entries, guarantee_block, headline
from tacit.pages.kinds import kind_sections
from tacit.pages.layout import section, whole_page
from tacit.pages.markup import Markup, joined, tag
from tacit.privacy.card import Card
from tacit.releases.file import Release


def release_page(release: Release) -> str:
    """Return the page about a release; it holds nothing that the release does not."""
    card = release.card
    schema = _schema(release)
    signature = f"signed by {release.signer}" if release.signer else "not signed"
    header = [
        tag("p", "tacit · report on a release", class_="kicker"),
        tag("h1", handed_out_words(card)),
        tag("p", f"{card.title[:1].upper()}{card.title[1:]}; at {headline(card)}; {signature}.", class_="lead"),
    ]
    sections = [
        section("Guarantee", "What it promises, and to whom.", guarantee_block(card, heading="In words", whole=False)),
        section("Card", "Everything that the promise rests on, and what it does not cover.", card_entries(card)),
        *kind_sections(release, schema),
    ]
    if schema is not None:
        sections.append(section("Columns", "Public facts that travel with the release.", _columns(schema)))
    sections.append(section("Signature", "For whoever answers for the release.", signature_block(release)))
    note = "It holds nothing that the release itself does not hold: it may go wherever the release goes."
    return whole_page(handed_out_words(card), header, sections, note)


def handed_out_words(card: Card) -> str:
    """Return what the page is about, for a person: who hands something out, or of which data set."""
    if card.facts.owner:
        return f"What {card.facts.owner} hands out"
    return f"What is handed out of {card.facts.dataset}" if card.facts.dataset else "What the owner hands out"


def signature_block(release: Release) -> Markup:
    """Return what is signed, by which key, and room for a signature by hand."""
    facts = [
        ("Owner", release.card.facts.owner or "not stated"),
        ("Digest", release.digest or "none: the release was not read from a file"),
        ("Signed by key", release.signer or "nobody: the file is not signed"),
    ]
    terms = [joined(tag("dt", name), tag("dd", tag("code", text) if name != "Owner" else text)) for name, text in facts]
    note = (
        "The digest is that of the file's manifest, which holds the hashes of all its parts: it stands for this file."
    )
    roles = ("For the owner (controller)", "Data-protection officer")
    lines = [
        tag("div", [tag("p", words, class_="signed") for words in (role, "Name", "Place and date")], class_="hand")
        for role in roles
    ]
    # In one piece on paper: a signature must not stand on another sheet than the digest that is signed.
    return tag(
        "div", [tag("dl", terms), tag("p", note, class_="small"), tag("div", lines, class_="hands")], class_="signing"
    )


def _schema(release: Release) -> Schema | None:
    if release.schema is None:
        return None
    try:
        return Schema.from_dict(release.schema, source="the release's schema")
    except TacitError as problem:
        raise ReleaseError(f"the release cannot be reported on: {problem}") from problem


def _columns(schema: Schema) -> Markup:
    kinds = [column.kind for column in schema.columns]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    picture = "" if schema.image is None else f" Pixels form pictures of {' × '.join(map(str, schema.image.shape))}."
    classes = f" Classes: {', '.join(schema.classes)}." if schema.classes else ""
    names = tag("details", tag("summary", "All columns"), tag("p", ", ".join(schema.encoded_names), class_="small"))
    return joined(tag("p", f"{counts}.{picture}{classes}"), names)
