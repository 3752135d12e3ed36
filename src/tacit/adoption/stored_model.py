"""A receiver's fitted estimator as the model file that it keeps, and back."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import Arrays
from tacit.data.schemas.schema import Schema
from tacit.errors import ReleaseError
from tacit.models.scikit_learn import BaseEstimator
from tacit.releases.file import Model, Release

# What rebuilding a classifier can raise when its file is not what this project wrote.
MALFORMED = (KeyError, TypeError, ValueError, IndexError, RuntimeError)


class StoredModelMixin:
    """What every estimator of a receiver does alike: become a model file, and come back from one.

    Attributes
    ----------
    model_kind : str
        The kind that its files state.
    made_by : str
        How files of this kind are made, for messages.
    stored_parameters : tuple of str
        Parameters of the constructor, beside ``schema``, that a file's settings hold.
    """

    model_kind: ClassVar[str]
    made_by: ClassVar[str]
    stored_parameters: ClassVar[tuple[str, ...]] = ()
    releases: Sequence[Release]
    schema_: Schema
    n_features_in_: int

    def to_model(self) -> Model:
        """Return the file that the receiver keeps; not to be handed out, unless its card says so."""
        check_is_fitted(self)
        arrays, settings = self._parts()
        cards = tuple(release.card for release in self.releases)
        return Model(self.model_kind, arrays, settings, cards, self.schema_.to_dict())

    @classmethod
    def from_model(cls, file: Model) -> Self:
        """Return the fitted estimator in ``file``; raise ReleaseError for another kind or a missing part."""
        if file.kind != cls.model_kind or file.schema is None:
            raise ReleaseError(f"the model is of kind {file.kind!r}; {cls.made_by} makes {cls.model_kind!r}.")
        try:
            schema = Schema.from_dict(file.schema, source="the model's schema")
            parameters = {name: file.settings[name] for name in cls.stored_parameters}
            model = cls(schema=schema, **parameters)  # type: ignore[call-arg]  # the mixin has no constructor
            model.schema_, model.n_features_in_ = schema, len(schema.encoded_names)
            model._restore(file.arrays, file.settings)
            return model
        except MALFORMED as problem:
            raise ReleaseError(f"the model file misses a part of the classifier: {problem}.") from problem

    @abstractmethod
    def _parts(self) -> tuple[Arrays, dict[str, Any]]:
        """Return what was learned as arrays and JSON-ready settings."""

    @abstractmethod
    def _restore(self, arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> None:
        """Set what was learned and ``_parts`` took apart; the schema and its number of columns are set."""


@dataclass(eq=False, repr=False)
class ReceiverEstimator(StoredModelMixin, BaseEstimator):
    """Stores the parameters of every estimator that adopts releases; a subclass adds its own as fields.

    Parameters
    ----------
    releases : sequence of Release
        What owners handed out.
    schema : Schema or None
        The receiver's. None: that of the first release.
    """

    releases: Sequence[Release] = ()
    _: KW_ONLY
    schema: Schema | None = None


def stored_classes(classes: NDArray[Any]) -> NDArray[Any]:
    """Return the classes as a model file holds them: numbers as they are, names as codes, which its schema names."""
    return np.asarray(classes) if classes.dtype.kind in "iufb" else np.arange(len(classes))
