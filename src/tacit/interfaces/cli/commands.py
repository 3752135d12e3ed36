"""The table of commands: where each one is defined, and what ``tacit --help`` says about it."""

from typing import NamedTuple


class Command(NamedTuple):
    """A line of the table of commands.

    ``target`` is ``package.module:function``, or empty for a group, which holds the entries that begin with its name.
    ``summary`` is what ``--help`` of the group says about it, ``extra`` the optional part of the package that it needs,
    ``workers`` the module that the processes load for which its option of that name asks, empty without such an option,
    ``panel`` the heading under which it is listed.
    """

    target: str
    summary: str
    extra: str = ""
    workers: str = ""
    panel: str | None = None


_CLI = "tacit.interfaces.cli"
# All that any kind of release needs to add up rows, and nothing of the command line.
_READING = "tacit.releases.kind"
OWNER = "For owners of a private table"
RECEIVER = "For receivers"
REVIEWER = "For reviewers"
SEVERAL = "Between owners and receivers"
PACKAGE = "To start and to check"

# A command is one line here. Its summary is the first line of the function's docstring; a test compares them.
COMMANDS = {
    "schema": Command("", "Describe a table: its columns, bounds, categories and label.", panel=OWNER),
    "schema draft": Command(f"{_CLI}.schema:draft", "Write a first schema from a table, for you to correct."),
    "schema check": Command(
        f"{_CLI}.schema:check",
        "Compare a table with its schema; exits with 1 if a release would be refused.",
    ),
    "ledger": Command(
        "", "The privacy account of a data set: what was released, what it cost, what is left.", panel=OWNER
    ),
    "ledger init": Command(f"{_CLI}.ledger_init:init", "Make a ledger with a budget that cannot be changed later."),
    "ledger show": Command(f"{_CLI}.ledger:show", "Show every charge, what is spent and what is left."),
    "ledger verify": Command(
        f"{_CLI}.ledger:verify",
        "Check that no line was edited, removed, inserted or moved.",
    ),
    "key": Command("", "Key pairs: owners sign releases, receivers check who made them.", panel=OWNER),
    "key new": Command(
        f"{_CLI}.key:new", "Make a key pair: the private key signs releases, the public key goes to receivers."
    ),
    "key show": Command(
        f"{_CLI}.key:show", "Show whose key a file holds and its digits, to compare over the telephone."
    ),
    "what-if": Command(
        f"{_CLI}.what_if:what_if",
        "Simulate what each epsilon buys, on public or fabricated rows; spends nothing.",
        panel=OWNER,
    ),
    "release": Command(
        f"{_CLI}.release:release",
        "Make a private release of a table: the file to hand out, with its card.",
        workers=_READING,
        panel=OWNER,
    ),
    "sign": Command(f"{_CLI}.sign:sign", "Sign a release that was made before, after reading its card.", panel=OWNER),
    "fabricate": Command(
        f"{_CLI}.fabricate:fabricate",
        "Fabricate a table: invented rows with the schema's columns and types.",
        workers=_READING,
        panel=OWNER,
    ),
    "compare": Command(
        f"{_CLI}.compare:compare",
        "Compare a fabricated table with the private one; for the owner's eyes only.",
        panel=OWNER,
    ),
    "adopt": Command(
        f"{_CLI}.adopt:adopt",
        "Learn from releases and from your own rows, few or none of them labelled.",
        panel=RECEIVER,
    ),
    "predict": Command(
        f"{_CLI}.predict:predict", "Predict the class, or the number, of each row of a table.", panel=RECEIVER
    ),
    "report": Command(
        f"{_CLI}.report:report", "Write an HTML page about a model, a release or a fabricated table.", panel=RECEIVER
    ),
    "ask": Command(
        f"{_CLI}.ask:ask", "Count rows by one or more columns from a release of method marginals.", panel=RECEIVER
    ),
    "infer": Command(
        f"{_CLI}.infer:infer", "Infer the missing cells of a column, each with a calibrated confidence.", panel=RECEIVER
    ),
    "card": Command(
        f"{_CLI}.card:card",
        "Show what a release guarantees, what it assumes, and what it does not protect.",
        panel=REVIEWER,
    ),
    "audit": Command(
        f"{_CLI}.audit:audit",
        "Test whether a release, or any mechanism of the package, leaks more than it claims.",
        panel=REVIEWER,
    ),
    "audit desk": Command(
        f"{_CLI}.desk.audit:audit_desk",
        "Show what rounding alone leaks at a desk, and what epsilon a useful run needs.",
        panel=REVIEWER,
    ),
    "join": Command(
        "", "One release by several owners: noise is added once, and nobody sees another's rows.", panel=SEVERAL
    ),
    "join plan": Command(
        f"{_CLI}.join:plan",
        "Plan a joint release: what is released, at which epsilon, against which coalition.",
    ),
    "join sign": Command(f"{_CLI}.join:sign", "Sign a joint plan as one of its parties; nothing is charged yet."),
    "join run": Command(
        f"{_CLI}.join:run",
        "Run a signed plan with parties that are all on this machine.",
    ),
    "join status": Command(
        f"{_CLI}.join:status",
        "Show what a joint plan releases, who has signed it, and how far the parties here have come.",
    ),
    "request": Command(
        f"{_CLI}.second_round:request",
        "Ask an owner for a second round: send the features of your model's network.",
        "deep",
        panel=SEVERAL,
    ),
    "answer": Command(
        f"{_CLI}.second_round:answer",
        "Answer a receiver's request: learn a private layer on its features from your rows.",
        "deep",
        panel=SEVERAL,
    ),
    "desk": Command("", "Score other people's models on a private table, a limited number of times.", panel=SEVERAL),
    "desk serve": Command(
        f"{_CLI}.desk.serve:serve", "Open the desk over HTTP, and keep it open until Ctrl-C.", extra="serve"
    ),
    "desk score": Command(
        f"{_CLI}.desk.score:score", "Score a file of candidates, for providers who cannot reach the owner's network."
    ),
    "desk show": Command(
        f"{_CLI}.desk.show:show", "Show what a desk has answered, and check that nothing in its log was changed."
    ),
    "desk provider": Command("", "Who may ask for scores, and how often."),
    "desk provider add": Command(
        f"{_CLI}.desk.provider:add", "Let a provider in, and print the token, which is shown this once."
    ),
    "desk provider revoke": Command(
        f"{_CLI}.desk.provider:revoke",
        "Revoke a provider's token; an open desk notices within a second.",
    ),
    "tune": Command(f"{_CLI}.tune:tune", "Tune a model on the scores of an owner's desk.", panel=SEVERAL),
    "tune ask": Command(
        f"{_CLI}.tune:ask",
        "Write the next candidates to a file, to be carried to an owner without a network.",
        panel=SEVERAL,
    ),
    "tune tell": Command(
        f"{_CLI}.tune:tell", "Read the scores of the open batch, and update the model.", panel=SEVERAL
    ),
    "demo": Command(f"{_CLI}.demo:demo", "Play owner, receiver and reviewer on handwritten digits.", panel=PACKAGE),
    "studio": Command(
        f"{_CLI}.studio:studio",
        "Open the studio: the whole job in a browser, on this machine alone.",
        extra="serve",
        panel=PACKAGE,
    ),
    "doctor": Command(
        f"{_CLI}.doctor:doctor", "Check this installation; exits with 1 if something is wrong.", panel=PACKAGE
    ),
    "reproduce": Command(
        f"{_CLI}.reproduce:reproduce", "Run a measurement again and print it beside what was published.", panel=PACKAGE
    ),
}
