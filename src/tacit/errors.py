"""Every error tacit raises on purpose, in one tree.

::

    TacitError
    ├── InputError (ValueError)         a value the caller gave is outside what is allowed
    │   ├── BudgetError                 an epsilon, delta or unit that is no budget
    │   └── SchemaError                 a table and its schema disagree, or the schema is malformed
    ├── LedgerError                     the account of a private data set cannot be used
    │   ├── BudgetExceededError         the charge does not fit; says what is left and what would fit
    │   └── LedgerTamperedError         a line was edited, removed or reordered
    ├── ReleaseError                    a release file cannot be read, written or trusted
    │   └── NotReleasableError          something that passed through no mechanism was to be exported
    ├── UnknownEventError               accounting met an event it has no rule for
    ├── SensitivityError                a query moved further than its mechanism declares
    └── MissingDataError                a data set is neither in the data folder nor reachable

A message names the parameter, what is allowed, what was given, and the way out.
"""


class TacitError(Exception):
    """Base of every error raised on purpose."""


class InputError(TacitError, ValueError):
    """A value the caller gave is outside what is allowed."""


class BudgetError(InputError):
    """An epsilon, delta or unit that is no budget."""


class SchemaError(InputError):
    """A table and its schema disagree, or the schema is malformed."""


class LedgerError(TacitError):
    """The account of a private data set cannot be used."""


class BudgetExceededError(LedgerError):
    """The charge does not fit; the message says what is left and what would fit."""


class LedgerTamperedError(LedgerError):
    """A line of the ledger was edited, removed or reordered."""


class ReleaseError(TacitError):
    """A release file cannot be read, written or trusted."""


class NotReleasableError(ReleaseError):
    """Something that passed through no mechanism was to be exported."""


class UnknownEventError(TacitError):
    """Accounting met an event it has no rule for."""


class SensitivityError(TacitError):
    """A query moved further than its mechanism declares."""


class MissingDataError(TacitError):
    """A data set is neither in the data folder nor reachable."""
