"""Tables that can be run again, one module each."""
