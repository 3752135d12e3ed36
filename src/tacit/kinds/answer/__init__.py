"""An owner's answer to a receiver's request: a private softmax layer on the receiver's own features.

`tacit answer` makes it, from a request and not from a table alone: no method of `tacit release` does.
"""

from tacit.privacy.budget import Unit
from tacit.releases.kind import ReleaseKind

FILE = "second_round_answer"
SUMMARY = "a softmax layer on a receiver's features"
KIND = ReleaseKind(__name__, "", SUMMARY, (Unit.RECORD,), ("candidates",), (FILE,))
