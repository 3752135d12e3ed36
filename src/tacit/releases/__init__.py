"""The file an owner hands out (``*.tacit``): format, reading, writing, signing."""
