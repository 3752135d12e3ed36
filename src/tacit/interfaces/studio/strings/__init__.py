"""Every text that the studio shows, in one catalogue a language."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

LANGUAGES = {"en": "English", "de": "Deutsch"}
DEFAULT = "en"


@dataclass(frozen=True)
class Words:
    """The texts of one language, by keys such as ``"data.title"``."""

    language: str
    texts: dict[str, str]

    def __call__(self, key: str, **values: Any) -> str:
        """Return the text of ``key`` with ``values`` in their places."""
        return self.texts[key].format(**values)

    def part(self, prefix: str) -> dict[str, str]:
        """Return the texts whose keys begin with ``prefix``, without it."""
        return {key.removeprefix(prefix): text for key, text in self.texts.items() if key.startswith(prefix)}


@lru_cache(maxsize=len(LANGUAGES))
def words_in(language: str) -> Words:
    """Return the catalogue of ``language``."""
    content = tomllib.loads((files(__package__) / f"{language}.toml").read_text(encoding="utf-8"))
    return Words(language, {f"{room}.{key}": text for room, texts in content.items() for key, text in texts.items()})


def chosen_language(wish: str | None, accepted: str | None) -> str:
    """Return the language of a cookie's ``wish``, or the first of the ``Accept-Language`` header that there is."""
    if wish in LANGUAGES:
        return wish
    for _, language in sorted(_weights(accepted or ""), key=lambda pair: -pair[0]):
        if language in LANGUAGES:
            return language
    return DEFAULT


def _weights(header: str) -> list[tuple[float, str]]:
    """Return the languages of an ``Accept-Language`` header with their weights; what cannot be read is left out."""
    pairs = []
    for part in header.split(",")[:20]:
        name, _, weight = part.strip().partition(";q=")
        try:
            pairs.append((float(weight or 1), name.split("-")[0].lower()))
        except ValueError:
            continue
    return pairs
