"""Predict the rows of a table with an adopted model."""

from typing import Any

from tacit.interfaces.studio.worker import Order
from tacit.workflows.predict import predict

FIRST_ROWS = 8


def run(order: Order) -> dict[str, Any]:
    """Write a prediction for every row of ``table``; ``keep`` names columns to copy."""
    arguments = order.arguments
    output = order.folder.file(arguments["output"])
    predicted = predict(
        order.folder.existing(arguments["model"]),
        order.folder.existing(arguments["table"]),
        keep=arguments.get("keep") or [],
        output=output,
        progress=order.progress,
    )
    first = [[str(cell) for cell in row] for row in predicted.head(FIRST_ROWS).rows()]
    return {"file": output.name, "rows": predicted.height, "columns": predicted.columns, "first": first}
