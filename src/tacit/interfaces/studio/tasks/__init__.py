"""What jobs do, one module each: a request in plain values, a call of a workflow, a result in plain values."""
