"""Tables wherever they lie, as batches: files, folders, data frames, databases."""
