"""The receiver's engine: what releases and the receiver's own rows tell together."""
