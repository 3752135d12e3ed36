"""``tacit.toml``: options that a project gives to its commands, so that they need not be typed again."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.files.regular import read_small

FILE = "tacit.toml"
LARGEST = 1 << 20
# Options for every command that has them stand in this table; those of one command under its name.
SHARED = "options"
# What must be decided anew each time.
NEVER = ("output", "force", "seed", "dry-run", "allow")


def project_options(folder: Path) -> Mapping[str, Any]:
    """Return what the project file in ``folder`` holds; nothing if there is none."""
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        content = tomllib.loads(read_small(path, largest=LARGEST).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InputError(f"{FILE} is no TOML: {problem}.") from None
    for name, table in content.items():
        if not isinstance(table, dict):
            raise InputError(f"{FILE}: {name!r} must stand in a table, [{SHARED}] or one named like a command.")
        refused = [option for option in table if _key(option) in NEVER and not isinstance(table[option], dict)]
        if refused:
            raise InputError(f"{FILE}: {refused[0]!r} cannot be set here; give it on the command line.")
    return content


def option_defaults(command: Any, words: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by parameter for the ``command`` that a user calls by ``words``, from the project file's content.

    Options of the command's own table must exist; shared ones are taken where the command has them.
    """
    options = _options(command)
    own: Any = content
    for word in words.split():
        own = own.get(word, {}) if isinstance(own, dict) else {}
    own = {name: value for name, value in own.items() if not isinstance(value, dict)}
    unknown = [name for name in own if _key(name) not in options]
    if unknown:
        raise InputError(f"{FILE}: `tacit {words}` has no option {unknown[0]!r}; it has {', '.join(sorted(options))}.")
    shared = {name: value for name, value in content.get(SHARED, {}).items() if _key(name) in options}
    return {options[_key(name)]: value for name, value in {**shared, **own}.items()}


def _key(name: str) -> str:
    return name.replace("_", "-")


def _options(command: Any) -> dict[str, str]:
    """Return the parameter of each option with a value that may be set, by the name on the command line."""
    return {
        flag.removeprefix("--"): parameter.name
        for parameter in command.params
        if parameter.param_type_name == "option" and not parameter.is_flag
        for flag in parameter.opts
        if flag.startswith("--") and flag.removeprefix("--") not in (*NEVER, "help")
    }
