"""Tables of published and measured figures that ``tacit reproduce`` runs again."""
