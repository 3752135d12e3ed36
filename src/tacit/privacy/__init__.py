"""Units, events, accounting, noise, mechanisms, the ledger and the card."""
