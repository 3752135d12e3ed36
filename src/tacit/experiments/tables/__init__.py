"""One module for each table of ``tacit reproduce``; its ``rows()`` runs the experiment."""
