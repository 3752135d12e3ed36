"""The studio: the whole job in a browser, as pages over the same workflows as the command line."""
