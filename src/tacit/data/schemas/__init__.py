"""Public facts about a table's columns: written, read, drafted, and cells read by them."""
