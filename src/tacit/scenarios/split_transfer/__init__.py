"""Private linear transfer: the weights of one private table are where another private table starts from."""
