"""The scene of ``tacit demo`` in which three small owners make one release together."""

from pathlib import Path

import polars as pl

from tacit.data.reading.tables import write_table
from tacit.files.atomic import replacing, write_text

CLINICS = ("north", "south", "west")
PARTY = 'table = "table.csv"\nledger = "party.ledger"\nkey = "party.key"\n'


def join_commands() -> list[str]:
    """Return what the three owners type: ledgers and keys, one plan that all sign, and the run."""
    commands = []
    for name in CLINICS:
        commands += [
            f"tacit ledger init {name}/party.ledger --epsilon 1 --delta 1e-6 --unit record",
            f"tacit key new {name}/party",
        ]
    members = " ".join(f"--party {name}={name}/party.pub" for name in CLINICS)
    commands.append(f"tacit join plan -s owner.toml --epsilon 1 {members} -o joint.json")
    commands += [f"tacit join sign joint.json --key {name}/party.key" for name in CLINICS]
    return [*commands, f"tacit join run joint.json {' '.join(CLINICS)} -o joint.tacit"]


def write_clinics(owner: pl.DataFrame) -> None:
    """Deal the owner's rows out to the folders of three clinics, which begin anew."""
    for place, name in enumerate(CLINICS):
        folder = Path(name)
        folder.mkdir(exist_ok=True)
        for old in folder.glob("party.*"):
            old.unlink()
        with replacing(folder / "table.csv") as file:
            write_table(owner[place :: len(CLINICS)], file, layout="csv")
        write_text(folder / "join.toml", PARTY)
    for name in ("joint.json", "joint.tacit"):
        Path(name).unlink(missing_ok=True)
