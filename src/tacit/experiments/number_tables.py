"""Public tables with a number to predict that their usual schemas have as a column."""

from dataclasses import replace

from tacit.data.public.datasets import TableSet, load_adult, load_flights, load_vietnam_health
from tacit.data.schemas.columns import Categorical, Column, Label, Numeric, Target


def hours_of_adult() -> TableSet:
    """Return Adult with the weekly hours as a number to predict, and the income as a category."""
    return with_target(load_adult(), "hours-per-week")


def pharmacy_visits() -> TableSet:
    """Return the survey of Vietnam with the visits to a pharmacy as a number to predict: nine of ten are 0 or 1."""
    return with_target(load_vietnam_health(), "pharvis")


def delays_after_departure() -> TableSet:
    """Return New York's flights with the delay at arrival to predict, that at departure being known."""
    data = load_flights("arr_delay")
    known = Numeric("dep_delay", (-60, 1_440))
    columns = tuple(known if column.name == known.name else column for column in data.schema.columns)
    return TableSet("flights delay", data.table.drop_nulls(known.name), replace(data.schema, columns=columns))


def with_target(data: TableSet, name: str) -> TableSet:
    """Return a table whose number called ``name`` is to be predicted; its label becomes a category."""
    columns = tuple(_rule(column, name) for column in data.schema.columns)
    return TableSet(f"{data.name} {name}", data.table, replace(data.schema, columns=columns))


def _rule(column: Column, target: str) -> Column:
    if isinstance(column, Numeric) and column.name == target:
        return Target(column.name, column.bounds)
    if isinstance(column, Label):
        return Categorical(column.name, column.classes)
    return column
