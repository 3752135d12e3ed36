"""The typed names are scikit-learn's own classes when the program runs; the base class adds a refusal of weights."""

import sklearn.base

from tacit.models import scikit_learn


def test_every_name_is_that_of_scikit_learn() -> None:
    for name in set(scikit_learn.__all__) - {"BaseEstimator"}:
        assert getattr(scikit_learn, name) is getattr(sklearn.base, name)


def test_the_base_class_is_scikit_learns_with_nothing_else_of_its_own() -> None:
    assert scikit_learn.BaseEstimator.__mro__[1] is sklearn.base.BaseEstimator
    own = {name for name in vars(scikit_learn.BaseEstimator) if not name.startswith("__") and not name.startswith("_")}
    assert {name for name in own if "request" not in name} == set()
    assert "__init_subclass__" in vars(scikit_learn.BaseEstimator)


def test_a_refusing_fit_keeps_its_name_docstring_and_result() -> None:
    def fit(self: object, X: int, y: int = 2, *, third: int = 3) -> int:
        """Add."""
        return X + y + third

    wrapped = scikit_learn.without_weights(fit)
    assert (wrapped.__name__, wrapped.__doc__) == ("fit", "Add.")
    assert wrapped(None, 1) == 6
    assert wrapped(None, 1, 4, third=5) == 10
