"""The typed names are scikit-learn's own classes when the program runs."""

import sklearn.base

from tacit.models import scikit_learn


def test_every_name_is_that_of_scikit_learn() -> None:
    for name in scikit_learn.__all__:
        assert getattr(scikit_learn, name) is getattr(sklearn.base, name)
