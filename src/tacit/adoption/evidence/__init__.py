"""What adopting did, by labels held out or without any: figures, differences, and the sentences that say them."""
