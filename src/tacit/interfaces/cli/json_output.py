"""Figures as JSON for programs: the option ``--json``, and numbers that JSON can hold."""

import dataclasses
import json
import math
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def print_json(content: Any) -> None:
    """Print ``content`` (mappings, lists, dataclasses, paths, numpy's numbers) as one JSON document."""
    typer.echo(json.dumps(_plain(content), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    """Return ``value`` as JSON has it; infinities and NaN, which it has not, become null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value.value if isinstance(value, Enum) else str(value) if isinstance(value, Path) else value
