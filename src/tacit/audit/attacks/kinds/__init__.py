"""How releases of each kind are attacked."""
