"""Commands of two words beside a command of the first word alone: ``tacit tune`` and ``tacit tune ask``."""

import click
from typer.core import TyperGroup


class TwoWords(TyperGroup):
    """A group that looks for a command named by the first two words before it takes the first alone."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments begin with, and the arguments after its name."""
        name = " ".join(args[:2])
        command = self.get_command(ctx, name) if len(args) > 1 else None
        return (name, command, args[2:]) if command is not None else super().resolve_command(ctx, args)
