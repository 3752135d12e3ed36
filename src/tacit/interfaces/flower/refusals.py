"""Why a node does not answer, as far as the aggregator may know."""

from tacit.privacy.refusals import RefusalCode


class NodeRefusal(RefusalCode):
    """What a node's refusal says."""

    QUESTION = "question", "refused: the question is malformed or does not fit the party's schema."
    TERMS = "terms", "refused: the party's terms do not allow it (hand_out, refit), or have changed since."
    BUDGET = "budget", "refused: the epsilon that it costs does not fit the party's ledger."
    UNAVAILABLE = "unavailable", "refused: the party cannot answer; its own log says why."
    UNKNOWN = "unknown", "refused, for a reason that this version does not know."
