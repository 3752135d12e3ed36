"""Predicting what people do next from what they did, and what their friends did: [dpa] sect. 4."""
