"""The table of commands: where each one is defined, and what ``tacit --help`` says about it."""

from typing import NamedTuple


class Entry(NamedTuple):
    """A line of the table of commands.

    ``target`` is ``package.module:function``, or empty for a group, which holds the entries that begin with its name.
    ``summary`` is what ``--help`` of the group says about it, ``extra`` the optional part of the package that it needs.
    """

    target: str
    summary: str
    extra: str = ""


_CLI = "tacit.interfaces.cli"

# A command is one line here. Its summary is the first line of the function's docstring; a test compares them.
COMMANDS = {
    "schema": Entry("", "The public facts about a table: its columns, bounds, categories and label."),
    "schema draft": Entry(f"{_CLI}.schema:draft", "Write a first schema from a table, for you to correct."),
    "schema check": Entry(
        f"{_CLI}.schema:check",
        "Count what a table holds that its schema does not foresee; exits with 1 if encoding would stop.",
    ),
    "ledger": Entry("", "The account of a private data set: what was released, what it cost, what is left."),
    "ledger init": Entry(f"{_CLI}.ledger:init", "Make a ledger with a budget that cannot be changed later."),
    "ledger show": Entry(f"{_CLI}.ledger:show", "Show every charge, what is spent and what is left."),
    "ledger verify": Entry(
        f"{_CLI}.ledger:verify",
        "Check that no line was edited, removed, inserted or moved; fails with the first that was.",
    ),
    "key": Entry("", "Key pairs, with which an owner signs releases and receivers check who made them."),
    "key new": Entry(
        f"{_CLI}.key:new", "Make a key pair: the private key signs releases, the public key goes to receivers."
    ),
    "key show": Entry(f"{_CLI}.key:show", "Show whose key a file holds and its digits, to compare over the telephone."),
    "release": Entry(
        f"{_CLI}.release:release", "Release knowledge of a private table: the file to hand out, with its card."
    ),
    "what-if": Entry(
        f"{_CLI}.what_if:what_if", "Simulate what each epsilon buys, on public or fabricated rows; spends nothing."
    ),
    "fabricate": Entry(
        f"{_CLI}.fabricate:fabricate",
        "Fabricate a table: invented rows with the schema's columns and types, to be used like the private ones.",
    ),
    "compare": Entry(
        f"{_CLI}.compare:compare", "Compare a fabricated table with the private one, inside the owner's walls."
    ),
    "ask": Entry(f"{_CLI}.ask:ask", "Ask a release of tables for counts of one or more columns, with 95 % intervals."),
    "adopt": Entry(
        f"{_CLI}.adopt:adopt",
        "Adopt one or more releases: learn from them together with your own, mostly or all unlabelled rows.",
    ),
    "request": Entry(
        f"{_CLI}.second_round:request",
        "Ask an owner for a second round: send the features of your model's network.",
        "deep",
    ),
    "answer": Entry(
        f"{_CLI}.second_round:answer",
        "Answer a receiver's request: a private layer on its features, learned from your rows.",
        "deep",
    ),
    "predict": Entry(
        f"{_CLI}.predict:predict",
        "Predict the class of each row: its name and how sure the model is, in the order of the table.",
    ),
    "infer": Entry(
        f"{_CLI}.infer:infer",
        "Infer the missing cells of a column from the other columns, each with a calibrated confidence.",
    ),
    "report": Entry(
        f"{_CLI}.report:report",
        "Write one self-contained HTML page: what was adopted, its guarantee in words, whom it helped or harmed.",
    ),
    "card": Entry(
        f"{_CLI}.card:card",
        "Show what a release guarantees: unit, epsilon, mechanism, assumptions, what is not protected.",
    ),
    "sign": Entry(f"{_CLI}.sign:sign", "Sign a release that was made before, after reading its card."),
    "audit": Entry(f"{_CLI}.audit:audit", "Try to catch a mechanism giving away more than it claims."),
    "audit desk": Entry(
        f"{_CLI}.desk.audit:audit_desk",
        "Show what rounding alone leaks at a desk, and what epsilon a useful run needs.",
    ),
    "desk": Entry("", "Score other people's models on a private table, a limited number of times."),
    "desk serve": Entry(
        f"{_CLI}.desk.serve:serve", "Open the desk over HTTP, and keep it open until Ctrl-C.", extra="serve"
    ),
    "desk score": Entry(
        f"{_CLI}.desk.score:score", "Score a file of candidates, for providers who cannot reach the owner's network."
    ),
    "desk show": Entry(
        f"{_CLI}.desk.show:show", "Show what a desk has answered, and check that nothing in its log was changed."
    ),
    "desk provider": Entry("", "Who may ask, and how often."),
    "desk provider add": Entry(
        f"{_CLI}.desk.provider:add", "Let a provider in, and print the token, which is shown this once."
    ),
    "desk provider revoke": Entry(
        f"{_CLI}.desk.provider:revoke",
        "Have a provider's token open nothing any more; a desk that is open notices within a second.",
    ),
    "studio": Entry(
        f"{_CLI}.studio:studio", "Open the studio: the whole job in a browser, on this machine alone.", extra="serve"
    ),
    "tune": Entry(f"{_CLI}.tune:tune", "Tune a model on the scores of an owner's desk."),
    "tune ask": Entry(
        f"{_CLI}.tune:ask", "Write the next candidates to a file, to be carried to an owner without a network."
    ),
    "tune tell": Entry(f"{_CLI}.tune:tell", "Read the scores of the open batch, and move the model accordingly."),
    "reproduce": Entry(
        f"{_CLI}.reproduce:reproduce", "Run a table again and print what was measured beside what was published."
    ),
    "doctor": Entry(
        f"{_CLI}.doctor:doctor",
        "Examine this installation: versions, optional parts, noise and ledgers; exits with 1 if something is wrong.",
    ),
    "demo": Entry(
        f"{_CLI}.demo:demo", "Play owner, receiver and reviewer on handwritten digits; opens nothing but files."
    ),
}
