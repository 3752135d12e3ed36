"""Federation over Flower: the nodes' app, the aggregator's app, and what they say to each other."""

from importlib.util import find_spec

if find_spec("flwr") is None:
    raise ModuleNotFoundError(
        "the Flower app needs flwr, which is not installed: pip install 'tacit-knowledge[federated]'.", name="flwr"
    )
