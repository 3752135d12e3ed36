"""Federation over Flower: the nodes' app, the aggregator's app, and what they say to each other."""
