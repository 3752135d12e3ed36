"""Why a party or the aggregator of a joint release does not go on, as far as others may know."""

from tacit.privacy.refusals import RefusalCode, RefusedError


class JoinRefusal(RefusalCode):
    """What a refusal of a joint release says."""

    MESSAGE = "message", "refused: the message is malformed, not signed by its party, or out of turn."
    PLAN = "plan", "refused: it is another plan than the one that all parties signed."
    REPEATED = "repeated", "refused: the same question was answered before, with another content."
    PARTIES = "parties", "refused: too few parties are left for the planned noise."
    SURVIVORS = "survivors", "refused: too few parties have signed this list of those who are in the total."
    SPENT = (
        "spent",
        "refused: the plan was charged before, and the record of that run is gone. A new attempt needs a new plan.",
    )
    BUDGET = "budget", "refused: what the plan costs does not fit the party's ledger."
    RANGE = "range", "refused: the total is larger than rows could make it; a party sent garbage."
    UNAVAILABLE = "unavailable", "refused: the party cannot answer; its own log says why."
    UNKNOWN = "unknown", "refused, for a reason that this version does not know."


class JoinRefusedError(RefusedError):
    """A refusal in a joint release for a public reason."""

    code: JoinRefusal
