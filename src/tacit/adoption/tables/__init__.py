"""The receiver's side for tables: classes, a numeric target, and private rows."""
