"""What commands print while and after they work: a spinner, counts with nouns, file sizes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from tacit.files.atomic import require_output

__all__ = ["counted", "file_size", "require_output", "working"]


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Show on stderr what is being done, and for how long, while the block runs; in a terminal only.

    Yields a function that replaces what is shown.
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what)
        yield lambda stage: progress.update(task, description=stage)


def counted(number: int, noun: str) -> str:
    """Return ``number`` with its noun: ``1 row``, ``3 rows``, ``2 classes``."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}{'es' if noun.endswith('s') else 's'}"
    return f"{number:,} {plural}"


def file_size(path: Path) -> str:
    """Return the size of the file at ``path`` in words."""
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(size / 1e3, 0.1):.1f} kB"
