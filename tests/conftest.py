"""What every test runs under."""

from hypothesis import settings

# The same examples on every run, and no clock: a build must not depend on luck or on how busy a machine is. To look for
# new examples: pytest --hypothesis-profile=default.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
