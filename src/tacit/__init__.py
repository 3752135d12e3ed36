"""tacit: learn from data that one may not see."""

from typing import Any

from tacit.public_names import PUBLIC_NAMES, load
from tacit.version import VERSION

__version__ = VERSION


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _all_loaded()
    if name not in PUBLIC_NAMES:
        raise AttributeError(f"module 'tacit' has no attribute {name!r}")
    value = globals()[name] = load(name)
    return value


def _all_loaded() -> list[str]:
    """Return all public names, loaded: who asks for ``__all__`` wants the things themselves.

    That is ``from tacit import *``, and documentation tools, which look the names up in the module's dictionary.
    ``dir(tacit)`` lists the names and imports nothing.
    """
    for name in PUBLIC_NAMES:
        __getattr__(name)
    return sorted(PUBLIC_NAMES)


def __dir__() -> list[str]:
    return sorted([*PUBLIC_NAMES, "__all__", "__version__"])
