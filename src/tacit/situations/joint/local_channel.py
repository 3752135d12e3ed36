"""All parties of a joint release in one process, to try it out."""

from collections.abc import Mapping

from tacit.errors import TacitError
from tacit.privacy.refusals import code_of
from tacit.situations.joint.party import PartySession
from tacit.situations.joint.refusals import JoinRefusal


class LocalChannel:
    """Hands messages to sessions of the same process.

    Parameters
    ----------
    sessions : mapping of int to PartySession
        By the number of the party; one that is not there is silent.
    """

    def __init__(self, sessions: Mapping[int, PartySession]) -> None:
        self.sessions = dict(sessions)
        self.problems: dict[int, TacitError] = {}

    def ask(self, requests: Mapping[int, bytes]) -> Mapping[int, bytes | JoinRefusal]:
        """Return the answers, one party after the other."""
        answers: dict[int, bytes | JoinRefusal] = {}
        for number in requests.keys() & self.sessions.keys():
            try:
                answers[number] = self.sessions[number].reply(requests[number])
            except TacitError as problem:
                self.problems[number] = problem
                answers[number] = code_of(problem, JoinRefusal)
        return answers

    def close(self) -> None:
        """End every session."""
        for session in self.sessions.values():
            session.close()
