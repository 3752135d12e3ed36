"""Commands of two words beside a command of the first word alone: ``tacit tune`` and ``tacit tune ask``."""

from typing import Any

from typer.core import TyperGroup


class TwoWords(TyperGroup):
    """A group that looks for a command named by the first two words before it takes the first alone."""

    # The types are click's, which newer versions of typer carry inside themselves.
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments begin with, and the arguments after its name."""
        name = " ".join(args[:2])
        command = self.get_command(ctx, name) if len(args) > 1 else None
        return (name, command, args[2:]) if command is not None else super().resolve_command(ctx, args)
