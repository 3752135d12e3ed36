"""The table of commands: where each one is defined, and what ``tacit --help`` says about it."""

from typing import NamedTuple


class Command(NamedTuple):
    """A line of the table of commands.

    ``target`` is ``package.module:function``, or empty for a group, which holds the entries that begin with its name.
    ``summary`` is what ``--help`` of the group says about it, ``extra`` the optional part of the package that it needs,
    ``workers`` whether its option of that name asks for processes.
    """

    target: str
    summary: str
    extra: str = ""
    workers: bool = False


_CLI = "tacit.interfaces.cli"

# A command is one line here. Its summary is the first line of the function's docstring; a test compares them.
COMMANDS = {
    "schema": Command("", "The public facts about a table: its columns, bounds, categories and label."),
    "schema draft": Command(f"{_CLI}.schema:draft", "Write a first schema from a table, for you to correct."),
    "schema check": Command(
        f"{_CLI}.schema:check",
        "Count what a table holds that its schema does not foresee; exits with 1 if encoding would stop.",
    ),
    "ledger": Command("", "The account of a private data set: what was released, what it cost, what is left."),
    "ledger init": Command(f"{_CLI}.ledger:init", "Make a ledger with a budget that cannot be changed later."),
    "ledger show": Command(f"{_CLI}.ledger:show", "Show every charge, what is spent and what is left."),
    "ledger verify": Command(
        f"{_CLI}.ledger:verify",
        "Check that no line was edited, removed, inserted or moved; fails with the first that was.",
    ),
    "key": Command("", "Key pairs, with which an owner signs releases and receivers check who made them."),
    "key new": Command(
        f"{_CLI}.key:new", "Make a key pair: the private key signs releases, the public key goes to receivers."
    ),
    "key show": Command(
        f"{_CLI}.key:show", "Show whose key a file holds and its digits, to compare over the telephone."
    ),
    "release": Command(
        f"{_CLI}.release:release",
        "Release knowledge of a private table: the file to hand out, with its card.",
        workers=True,
    ),
    "what-if": Command(
        f"{_CLI}.what_if:what_if", "Simulate what each epsilon buys, on public or fabricated rows; spends nothing."
    ),
    "fabricate": Command(
        f"{_CLI}.fabricate:fabricate",
        "Fabricate a table: invented rows with the schema's columns and types, to be used like the private ones.",
        workers=True,
    ),
    "compare": Command(
        f"{_CLI}.compare:compare", "Compare a fabricated table with the private one, inside the owner's walls."
    ),
    "ask": Command(
        f"{_CLI}.ask:ask", "Ask a release of tables for counts of one or more columns, with 95 % intervals."
    ),
    "adopt": Command(
        f"{_CLI}.adopt:adopt",
        "Adopt one or more releases: learn from them together with your own, mostly or all unlabelled rows.",
    ),
    "request": Command(
        f"{_CLI}.second_round:request",
        "Ask an owner for a second round: send the features of your model's network.",
        "deep",
    ),
    "answer": Command(
        f"{_CLI}.second_round:answer",
        "Answer a receiver's request: a private layer on its features, learned from your rows.",
        "deep",
    ),
    "join": Command("", "One release by several owners: noise once, and nobody sees another's rows."),
    "join plan": Command(
        f"{_CLI}.join:plan",
        "Plan one release by several owners: what is asked, at which epsilon, against which coalition.",
    ),
    "join sign": Command(f"{_CLI}.join:sign", "Sign a joint plan as one of its parties; nothing is charged yet."),
    "join run": Command(
        f"{_CLI}.join:run",
        "Run a signed plan with parties whose files are all on this machine; over a network it is the Flower app.",
    ),
    "join status": Command(
        f"{_CLI}.join:status",
        "Show what a joint plan asks, who has signed it, and where parties stand whose files are here.",
    ),
    "predict": Command(
        f"{_CLI}.predict:predict",
        "Predict the class of each row: its name and how sure the model is, in the order of the table.",
    ),
    "infer": Command(
        f"{_CLI}.infer:infer",
        "Infer the missing cells of a column from the other columns, each with a calibrated confidence.",
    ),
    "report": Command(
        f"{_CLI}.report:report",
        "Write one self-contained HTML page: what was adopted, its guarantee in words, whom it helped or harmed.",
    ),
    "card": Command(
        f"{_CLI}.card:card",
        "Show what a release guarantees: unit, epsilon, mechanism, assumptions, what is not protected.",
    ),
    "sign": Command(f"{_CLI}.sign:sign", "Sign a release that was made before, after reading its card."),
    "audit": Command(f"{_CLI}.audit:audit", "Try to catch a mechanism giving away more than it claims."),
    "audit desk": Command(
        f"{_CLI}.desk.audit:audit_desk",
        "Show what rounding alone leaks at a desk, and what epsilon a useful run needs.",
    ),
    "desk": Command("", "Score other people's models on a private table, a limited number of times."),
    "desk serve": Command(
        f"{_CLI}.desk.serve:serve", "Open the desk over HTTP, and keep it open until Ctrl-C.", extra="serve"
    ),
    "desk score": Command(
        f"{_CLI}.desk.score:score", "Score a file of candidates, for providers who cannot reach the owner's network."
    ),
    "desk show": Command(
        f"{_CLI}.desk.show:show", "Show what a desk has answered, and check that nothing in its log was changed."
    ),
    "desk provider": Command("", "Who may ask, and how often."),
    "desk provider add": Command(
        f"{_CLI}.desk.provider:add", "Let a provider in, and print the token, which is shown this once."
    ),
    "desk provider revoke": Command(
        f"{_CLI}.desk.provider:revoke",
        "Have a provider's token open nothing any more; a desk that is open notices within a second.",
    ),
    "studio": Command(
        f"{_CLI}.studio:studio", "Open the studio: the whole job in a browser, on this machine alone.", extra="serve"
    ),
    "tune": Command(f"{_CLI}.tune:tune", "Tune a model on the scores of an owner's desk."),
    "tune ask": Command(
        f"{_CLI}.tune:ask", "Write the next candidates to a file, to be carried to an owner without a network."
    ),
    "tune tell": Command(f"{_CLI}.tune:tell", "Read the scores of the open batch, and move the model accordingly."),
    "reproduce": Command(
        f"{_CLI}.reproduce:reproduce", "Run a table again and print what was measured beside what was published."
    ),
    "doctor": Command(
        f"{_CLI}.doctor:doctor",
        "Examine this installation: versions, optional parts, noise and ledgers; exits with 1 if something is wrong.",
    ),
    "demo": Command(
        f"{_CLI}.demo:demo", "Play owner, receiver and reviewer on handwritten digits; opens nothing but files."
    ),
}
