"""
An audit that catches halved noise
==================================

The distinguishing game draws a mechanism many times on two neighbouring inputs and bounds its epsilon from below. A
mechanism that keeps its promise stays under the line; one whose noise is half of what it claims does not.
"""

import matplotlib.pyplot as plt
import numpy as np

from tacit.audit.game import epsilon_lower_bound
from tacit.privacy.mechanisms import Laplace
from tacit.privacy.stream import NoiseStream

# %%
# A count of people, of sensitivity 1. The promise is the same epsilon; the second mechanism halves its scale.
claimed = np.array([0.25, 0.5, 1.0, 2.0])
draws = 20_000


def bound(scale: float, seed: int) -> float:
    """Return the lower bound on epsilon, at 99.9 % confidence, of Laplace noise of that scale on a count."""
    mechanism, stream = Laplace(scale, 1.0), NoiseStream(seed)
    samples = [mechanism.draw(np.full(draws, count), stream) for count in (100.0, 101.0)]
    return epsilon_lower_bound(*samples)


honest = [bound(1 / epsilon, seed) for seed, epsilon in enumerate(claimed)]
halved = [bound(0.5 / epsilon, seed) for seed, epsilon in enumerate(claimed)]
print("claimed", claimed, "\nhonest ", np.round(honest, 2), "\nhalved ", np.round(halved, 2))

# %%
# Everything above the diagonal is caught: the bound exceeds what was promised.
figure, axes = plt.subplots(figsize=(5, 4))
axes.plot([0, 2.2], [0, 2.2], color="grey", linestyle=":", label="what was promised")
axes.plot(claimed, honest, marker="o", label="noise as promised")
axes.plot(claimed, halved, marker="s", label="half the noise")
axes.set(xlabel="epsilon claimed", ylabel="epsilon at least (99.9 %)")
axes.legend()
figure.tight_layout()
