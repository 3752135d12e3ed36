"""Files: atomic writes, regular files, strict JSON, tensors, archives, hash chains."""
