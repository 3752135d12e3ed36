"""Learning situations beside release and adoption: behaviour, federation, feedback, missing cells."""
