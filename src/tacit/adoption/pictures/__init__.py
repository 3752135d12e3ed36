"""The receiver's side for pictures and for tables that share no column: views, self-training, networks."""
