"""Options of commands that make a card: what the owner says about the release."""

from typing import Annotated

import typer

_PANEL = "What the card says beside the guarantee (or [card] in the schema's file)"

Owner = Annotated[
    str, typer.Option(help="Who keeps the table: the controller.", show_default=False, rich_help_panel=_PANEL)
]
Dataset = Annotated[str, typer.Option(help="What the table is called.", show_default=False, rich_help_panel=_PANEL)]
Purpose = Annotated[str, typer.Option(help="What the release is made for.", show_default=False, rich_help_panel=_PANEL)]
LegalNote = Annotated[
    str,
    typer.Option(help="The legal basis, an approval, a contract.", show_default=False, rich_help_panel=_PANEL),
]
Period = Annotated[
    str, typer.Option(help="From when to when the rows are.", show_default=False, rich_help_panel=_PANEL)
]
Audit = Annotated[
    bool | None,
    typer.Option(
        "--audit/--no-audit",
        help="Play the distinguishing game on every part and print its results on the card.",
        show_default="where it costs seconds",
    ),
]
