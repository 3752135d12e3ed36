"""The catalogue: every language says everything, with the same places for values, and every text is used."""

import re
import string
from pathlib import Path

import pytest

from tacit.interfaces import studio
from tacit.interfaces.studio.frame import PAGES
from tacit.interfaces.studio.strings import LANGUAGES, chosen_language, words_in

ROOM = Path(studio.__file__).parent
FILES = (".js", ".html", ".ledger")
SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in ROOM.rglob("*.py"))


def places(text: str) -> set[str]:
    return {name.split(":")[0] for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_texts_with_the_same_values(language: str) -> None:
    reference, texts = words_in("en").texts, words_in(language).texts
    assert list(texts) == list(reference)
    assert {key: places(text) for key, text in texts.items()} == {key: places(text) for key, text in reference.items()}
    assert all(text.strip() for text in texts.values())


def test_languages_are_not_copies_of_each_other() -> None:
    english, german = words_in("en").texts, words_in("de").texts
    same = [key for key, text in english.items() if german[key] == text]
    assert len(same) < 0.1 * len(english), same


def test_every_text_that_is_asked_for_exists_and_none_is_left_over() -> None:
    texts = words_in("en").texts
    asked = set(re.findall(r'"([a-z]+\.[a-z0-9_]+)"', SOURCES))
    asked |= {f"{room}.{part}" for room in PAGES for part in ("title", "lead")}  # by `room_page`
    rooms = {key.split(".")[0] for key in texts}
    assert {key for key in asked if key.split(".")[0] in rooms and not key.endswith(FILES)} <= set(texts)
    composed = set(re.findall(r'f"([a-z]+\.[a-z_]*)\{', SOURCES))
    left_over = [key for key in texts if key not in asked and not key.startswith(tuple(composed))]
    assert left_over == []


@pytest.mark.parametrize(
    ("wish", "accepted", "language"),
    [
        (None, None, "en"),
        (None, "de-AT,de;q=0.9,en;q=0.8", "de"),
        (None, "fr,en;q=0.5,de;q=0.7", "de"),
        (None, "fr;q=x,,;q=,it", "en"),
        ("en", "de", "en"),
        ("xx", "de", "de"),
    ],
)
def test_the_language_is_the_one_wished_or_the_best_accepted(
    wish: str | None, accepted: str | None, language: str
) -> None:
    assert chosen_language(wish, accepted) == language
