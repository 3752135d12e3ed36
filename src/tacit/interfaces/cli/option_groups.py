"""Options that several commands share: a dataclass whose fields are options, taken by a command as one parameter."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return ``command`` as typer sees it: each parameter that is a dataclass is replaced by its fields, as options."""
    signature = inspect.signature(command, eval_str=True)
    groups = {name: each.annotation for name, each in signature.parameters.items() if is_dataclass(each.annotation)}

    @wraps(command)
    def called(**values: Any) -> None:
        built = {name: _take(group, values) for name, group in groups.items()}
        command(**values, **built)

    parameters = list(_flat(signature))
    called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


def _take(group: Any, values: dict[str, Any]) -> Any:
    return group(**{field.name: values.pop(field.name) for field in fields(group)})


def _flat(signature: inspect.Signature) -> Iterator[inspect.Parameter]:
    for parameter in signature.parameters.values():
        if is_dataclass(parameter.annotation):
            yield from _options(parameter.annotation)
        else:
            yield parameter


def _options(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    signature = inspect.signature(group)  # which knows the defaults
    for name, parameter in signature.parameters.items():
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
