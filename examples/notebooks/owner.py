"""
The owner's notebook
====================

You keep a table that nobody else may see, and want to hand out what it teaches. You describe its columns, open an
account for it, look at what each epsilon buys before anything is spent, and release. Put your own table in place of
the invented one; everything else stays as it is.
"""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import tacit
from tacit.errors import BudgetExceededError

folder = Path(tempfile.mkdtemp())


def invented_patients(n_rows: int, seed: int) -> pl.DataFrame:
    """Return a table of invented patients; who is ill depends on age, blood pressure and smoking."""
    rng = np.random.default_rng(seed)
    age, pressure = rng.integers(20, 90, n_rows), rng.normal(130, 20, n_rows).round().clip(70, 230)
    smokes, sex = rng.choice(["no", "yes"], n_rows, p=[0.7, 0.3]), rng.choice(["female", "male"], n_rows)
    risk = (age - 60) / 12 + (pressure - 130) / 15 + 1.5 * (smokes == "yes") - 0.5
    ill = np.where(rng.random(n_rows) < 1 / (1 + np.exp(-risk)), "yes", "no")
    return pl.DataFrame({"age": age, "pressure": pressure, "smokes": smokes, "sex": sex, "ill": ill})


patients = invented_patients(6000, seed=1)
patients.head()

# %%
# What is publicly known of the columns
# -------------------------------------
# Bounds and categories are facts that anyone may know, such as what a device can measure. They are never read from
# the rows: the highest age in the table is somebody's age.
facts = {
    "age": (0, 110),
    "pressure": (60, 240),
    "smokes": ["no", "yes"],
    "sex": ["female", "male"],
    "ill": ["no", "yes"],
}
schema = tacit.Schema.from_frame(patients, label="ill", bounds=facts)
print([column.name for column in schema.columns], schema.classes)

# %%
# The account
# -----------
# One ledger for each private table, for as long as the table lives. Its budget cannot be raised later.
ledger = tacit.Ledger.create(folder / "patients.ledger", tacit.Budget(3.0, 1e-6, unit="record"))
ledger

# %%
# What epsilon would buy
# ----------------------
# Simulated on rows that are *not* private: here on other invented patients, in your case on public rows of the same
# kind. Nothing is charged.
simulated = tacit.what_if(invented_patients(4000, seed=2), schema, epsilons=(0.1, 0.3, 1, 3), draws=2)
picture = simulated.display().plot()

# %%
# The release
# -----------
# The ledger is charged first, then noise is drawn, then the file is written. The card goes with it.
release = tacit.release(patients, schema, epsilon=1.0, ledger=ledger, output=folder / "clinic-a.tacit")
release.card

# %%
# What is left
# ------------
picture = tacit.LedgerDisplay.from_ledger(ledger).plot()

# %%
# A charge that the budget does not cover is refused: nothing is drawn, and the account stays as it was.
try:
    tacit.release(patients, schema, epsilon=3.0, ledger=ledger)
except BudgetExceededError as refusal:
    print(refusal)
print(len(ledger.lines()), "charge on the ledger")

# %%
# The page for the file
# ---------------------
# One HTML file that loads nothing from anywhere: print it, have it signed, put it beside the release.
page = tacit.report(folder / "clinic-a.tacit", output=folder / "clinic-a.html")
print(len(page), "characters,", page.count("<svg"), "drawings")
