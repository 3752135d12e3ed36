"""How far a desk's log has come, kept in the ledger: a log that lacks answers which were given is no longer used."""

from dataclasses import dataclass

from tacit.errors import LedgerError, LedgerTamperedError
from tacit.files.hash_chain import Head
from tacit.privacy.ledger import Ledger
from tacit.situations.feedback.desk.log import DeskLog

WAY_OUT = (
    "Bring back the log that gave them, or open a new desk with another --log, which is charged anew: noise that was "
    "drawn for answers of a lost log cannot be drawn again under the same charge."
)


@dataclass(frozen=True)
class LogAnchor:
    """The head of the log of the desk ``name``, kept in ``ledger``.

    Answers are stored in the log first, then the anchor moves to its new head, then the answers are sent. So no answer
    was sent that the anchor does not know, and a log serves as long as it holds everything up to the anchor. A copy
    that answers too has another chain from the first answer on that the two do not share, and is refused.
    """

    log: DeskLog
    ledger: Ledger
    name: str

    def hold(self) -> None:
        """Move the anchor to the log's head; raise LedgerTamperedError if the log lacks what the anchor knows.

        Must be called after answers are stored and before they are sent.
        """
        self.ledger.move_anchor(self.name, self._head_after)

    def _head_after(self, anchored: Head | None) -> Head:
        """Return the log's head, which must follow ``anchored``, or begin where nothing is known."""
        with self.log.reading() as transaction:
            head = transaction.head()
            kept = anchored is None or transaction.head(anchored.count) == anchored
        if anchored is None and head.count:
            raise LedgerError(
                f"the desk's log {self.log.path} holds {head.count} answers of which the ledger knows nothing: it is "
                f"of a version that did not tell the ledger. {WAY_OUT}"
            )
        if not kept:
            count = 0 if anchored is None else anchored.count
            raise LedgerTamperedError(
                f"the ledger knows of {count} answers of this desk, and the log {self.log.path} does not hold them: it "
                f"is an older or another copy. {WAY_OUT[0].lower()}{WAY_OUT[1:]}"
            )
        return head
