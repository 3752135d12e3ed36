"""The base classes of scikit-learn's estimators, with the types that it does not state itself.

Without them a type checker takes every estimator for one that accepts any parameter.
"""

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tacit.errors import InputError

Fit = TypeVar("Fit", bound=Callable[..., Any])

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from tacit.arrays import FloatArray

    class BaseEstimator:
        """Parameters by name, and what ``validate_data`` remembers of the columns."""

        n_features_in_: int
        feature_names_in_: NDArray[Any]

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters by name."""

        def set_params(self, **params: Any) -> Self:
            """Change parameters, and return the estimator."""

        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin:
        """A classifier with an accuracy."""

        def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
            """Return the share of rows whose class is predicted."""

    class RegressorMixin:
        """A regressor with a coefficient of determination."""

        def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
            """Return R² of the predictions."""

    class MultiOutputMixin:
        """An estimator of several outputs."""

    class TransformerMixin:
        """A transformer in one call."""

        def set_output(self, *, transform: str | None = None) -> Self:
            """Set the library whose data frames `transform` returns."""

        def fit_transform(self, X: ArrayLike, y: Any = None, **fit_params: Any) -> FloatArray:
            """Return the transformed rows that the transformer was fitted on."""

    class OneToOneFeatureMixin:
        """A transformer whose columns are those of its input."""

        def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
            """Return the names of the columns."""

    class ClassNamePrefixFeaturesOutMixin:
        """A transformer whose columns are named after its class."""

        def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
            """Return the names of the columns."""

else:
    from sklearn.base import BaseEstimator as _BaseEstimator
    from sklearn.base import (
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        MultiOutputMixin,
        OneToOneFeatureMixin,
        RegressorMixin,
        TransformerMixin,
    )

    class BaseEstimator(_BaseEstimator):
        """scikit-learn's, with a `fit` that takes ``sample_weight`` by name, or says why it does not."""

        def __init_subclass__(cls, **kwargs):
            fit = getattr(cls, "fit", None)
            if fit is not None and not hasattr(fit, "of_weights"):
                takes = "sample_weight" in inspect.signature(fit).parameters
                cls.fit = hiding_weights(fit) if takes else without_weights(fit)
                if takes:  # `set_fit_request` looks here too; a plain assignment would mangle the name
                    setattr(cls, "__metadata_request__fit", {"sample_weight": None})
            super().__init_subclass__(**kwargs)


def without_weights(fit: Fit) -> Fit:
    """Return ``fit`` with a refusal of ``sample_weight``, which stays out of its signature: scikit-learn reads that.

    A weight would let one row count for more than the one that a sensitivity is stated for, and held-out figures
    count rows once.
    """

    @functools.wraps(fit)
    def checked(self: object, *args: Any, sample_weight: object = None, **kwargs: Any) -> Any:
        if sample_weight is not None:
            raise InputError(
                f"sample_weight must be left out: {type(self).__name__} counts every row once, and so do its guarantee "
                "and its figures. To give rows less weight, leave some of them out."
            )
        return fit(self, *args, **kwargs)

    checked.of_weights = "refused"  # type: ignore[attr-defined]  # so that a subclass does not wrap it again
    return cast("Fit", checked)


def hiding_weights(fit: Fit) -> Fit:
    """Return ``fit``, which takes ``sample_weight``, with a signature that does not show it.

    Estimators made of others look there, and some of them (AdaBoost) compute each row's weight from all rows: one row
    would then move more than its own share, and the guarantee would not hold. Who gives weights does it by name.
    """

    @functools.wraps(fit)
    def weighted(self: object, *args: Any, **kwargs: Any) -> Any:
        return fit(self, *args, **kwargs)

    signature = inspect.signature(fit)
    shown = [each for each in signature.parameters.values() if each.name != "sample_weight"]
    weighted.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]  # inspect reads it
    weighted.of_weights = "taken"  # type: ignore[attr-defined]  # as above
    return cast("Fit", weighted)


__all__ = [
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "MultiOutputMixin",
    "OneToOneFeatureMixin",
    "RegressorMixin",
    "TransformerMixin",
]
