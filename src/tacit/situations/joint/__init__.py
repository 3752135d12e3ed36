"""One release by several owners: totals under secure aggregation, noise of which each owner draws a share."""
