"""A classifier from few labels and many unlabelled rows, whose network sharpens its own predictions."""

import copy
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted

from tacit.arrays import UNLABELLED, Codes, Float32Array, FloatArray
from tacit.data.schemas.schema import Schema
from tacit.errors import InputError, TacitError
from tacit.models.per_class import best_classes
from tacit.models.schema_rows import schema_rows
from tacit.models.scikit_learn import BaseEstimator, ClassifierMixin
from tacit.models.semi_supervised.inputs import checked_image_shape, flat_rows, lay_out
from tacit.models.semi_supervised.labels import checked_guide, class_codes, class_shares, held_out
from tacit.models.semi_supervised.recipe import LossSettings, Recipe, TrainingSettings
from tacit.numerics.calibration import apply_temperature, find_temperature
from tacit.numerics.sparsemax import sparsemax

if TYPE_CHECKING:
    from torch import nn

    from tacit.models.semi_supervised.training import TrainingData

SettingsType = TypeVar("SettingsType", LossSettings, TrainingSettings)
# More rows than this do not make a temperature more exact.
MOST_READ = 5000


@dataclass(eq=False, repr=False)
class SharpenedClassifier(ClassifierMixin, BaseEstimator):
    """Learn a network from few labelled and many unlabelled rows, of pictures or of a table.

    Nothing is protected: a fitted network holds knowledge of the rows it saw, and must never be handed out.

    Parameters
    ----------
    network : torch.nn.Module or None
        What is trained, copied first; it gets pictures [N, channels, height, width] in [0, 1] or standardised columns
        [N, p], and returns a logit for each class. None: a small convolutional network, or a perceptron for tables.
    algorithm : {"fixmatch", "mixmatch", "vat", "supervised"}
        How unlabelled rows are used: strong variants learn what was predicted of weak ones [fixmatch]; mixtures of rows
        learn mixtures of predictions [mixmatch]; small adversarial steps must not change predictions [vat], which needs
        no knowledge of what variants of a row are alike; or not at all.
    distillation : {"ads", "sh", "me", "pl", "ns", "none"}
        How predictions of unlabelled rows are made into something to learn: adaptive sharpening, which runs all losses
        on sparsemax, sharpening, minimum entropy, pseudo-labels, negative sampling, or as they are. [sharpening].
    image_shape : tuple of int or None
        (height, width) or (height, width, channels) of flat rows that are pictures, row by row, channels last. Rows
        may also come as [N, height, width] or [N, channels, height, width].
    schema : Schema or None
        What the encoded columns mean: columns of one category vary together, and noise keeps to the bounds.
    n_steps, unlabelled_ratio : int
        Steps at most, and unlabelled rows for each labelled row of a step.
    losses : LossSettings or None
        What the losses of unlabelled rows are made of and what they weigh; None: the default ones.
    training : TrainingSettings or None
        Batches, optimizer, averaging and early stopping; None: the default ones.
    validation_fraction : float or "auto"
        The share of labelled rows to hold out, which also set the temperature of ``predict_proba``. "auto": a fifth of
        at least 1000 with 20 of each class, else none. No other rows than those given to ``fit`` are ever looked at.
    random_state : int, RandomState or None
    verbose : bool
        Show a progress bar on the error stream.

    Attributes
    ----------
    classes_ : array [K]
    network_ : torch.nn.Module
    temperature_ : float
        By which logits are divided before probabilities are made of them: as held-out labels say, else as training did.
    history_ : list of dict
        Losses, and what early stopping saw, at each check.
    n_steps_ : int
    n_features_in_ : int

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(300, noise=0.1, random_state=0)
    >>> y = truth.copy()
    >>> y[10:] = -1
    >>> losses = LossSettings(vat_radius=0.3)
    >>> model = SharpenedClassifier(algorithm="vat", losses=losses, n_steps=200, random_state=0).fit(X, y)
    >>> bool(model.score(X, truth) > 0.9)
    True
    """

    network: "nn.Module | None" = None
    _: KW_ONLY
    algorithm: str = "fixmatch"
    distillation: str = "ads"
    image_shape: tuple[int, ...] | None = None
    schema: Schema | None = None
    n_steps: int = 1500
    unlabelled_ratio: int = 4
    losses: LossSettings | None = None
    training: TrainingSettings | None = None
    validation_fraction: float | str = "auto"
    random_state: Any = None
    verbose: bool = False

    def fit(self, X: ArrayLike, y: ArrayLike, *, guide: ArrayLike | None = None) -> Self:
        """Learn from rows ``X`` and labels ``y`` [N], names or numbers; -1, None, NaN or blank where unlabelled.

        ``guide`` [N, K] holds soft labels from elsewhere, such as the predictions of a release. They are learned by
        unlabelled rows, each weighed by its certainty (a uniform one weighs nothing), less and less over training.
        """
        recipe = self._recipe()
        rows = self._checked(X)
        self.classes_, codes = class_codes(y, self.schema)
        check_consistent_length(rows, codes)
        soft = None if guide is None else checked_guide(guide, (len(codes), len(self.classes_)))
        self.layout_ = lay_out(rows, image_shape=self.image_shape_, schema=self.schema)
        generator = check_random_state(self.random_state)
        prior = class_shares(codes[codes != UNLABELLED], len(self.classes_), recipe.losses.class_prior)
        data = self._data(self.layout_.read(rows), codes, soft, prior, generator)
        self._train(data, recipe, seed=int(generator.randint(2**31 - 1)))
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row."""
        logits = self.logits(X)
        return best_classes(logits, self.classes_)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, K]: the softmax of the logits divided by ``temperature_``."""
        return apply_temperature(self.logits(X), self.temperature_)

    def logits(self, X: ArrayLike) -> FloatArray:
        """Return the network's logits [N, K], before any temperature."""
        check_is_fitted(self)
        flat, shape = flat_rows(X)
        if shape is not None and shape != self.image_shape_:
            raise InputError(f"X must hold pictures of shape {self.image_shape_}, channels last; got {shape}.")
        rows = schema_rows(self, flat, self.schema, dtype=np.float32, reset=False)
        logits = _training().logits_of(self.network_, self.layout_.read(rows))
        return np.asarray(logits, dtype=np.float64)

    def _recipe(self) -> Recipe:
        return Recipe(
            algorithm=self.algorithm,
            distillation=self.distillation,
            n_steps=self.n_steps,
            unlabelled_ratio=self.unlabelled_ratio,
            losses=_settings("losses", self.losses, LossSettings),
            training=_settings("training", self.training, TrainingSettings),
        )

    def _checked(self, X: ArrayLike) -> Float32Array:
        flat, shape = flat_rows(X)
        rows = schema_rows(self, flat, self.schema, dtype=np.float32)
        stated = checked_image_shape(self.image_shape, rows.shape[1])
        if shape is not None and stated not in {None, shape}:
            raise InputError(f"image_shape must be that of X, {shape} with channels last; got {self.image_shape!r}.")
        self.image_shape_ = shape or stated
        return rows

    def _data(
        self, rows: Float32Array, codes: Codes, guide: FloatArray | None, prior: FloatArray, generator: Any
    ) -> "TrainingData":
        labelled, unlabelled = np.flatnonzero(codes != UNLABELLED), np.flatnonzero(codes == UNLABELLED)
        held = held_out(codes[labelled], self.validation_fraction, generator)
        kept, out = labelled[~held], labelled[held]
        data: TrainingData = _training().TrainingData(
            rows=rows[kept],
            codes=codes[kept],
            unlabelled=rows[unlabelled],
            guide=None if guide is None else guide[unlabelled],
            held_rows=rows[out],
            held_codes=codes[out],
            prior=prior,
        )
        return data

    def _train(self, data: "TrainingData", recipe: Recipe, *, seed: int) -> None:
        import torch  # noqa: PLC0415 - an extra, needed only here

        from tacit.models.semi_supervised import networks  # noqa: PLC0415 - as above

        training = _training()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = networks.in_fast_layout(self._untrained(networks))
            problem = networks.network_problem(network, torch.from_numpy(data.rows[:1]), len(self.classes_))
            if problem:
                raise InputError(f"network does not fit the rows and classes: {problem}.")
            trained = training.train(
                network, data, recipe, training.augmentation_of(self.layout_), verbose=self.verbose
            )
        self.network_, self.n_steps_, self.history_ = trained.network, trained.n_steps, trained.history
        self.temperature_ = self._best_temperature(data)

    def _untrained(self, networks: Any) -> "nn.Module":
        if self.network is not None:
            return copy.deepcopy(self.network)
        network: nn.Module = networks.default_network(self.layout_.network_shape, len(self.classes_))
        return network

    def _best_temperature(self, data: "TrainingData") -> float:
        """Return the temperature that fits held-out labels, else the one by which softmax says what was trained.

        A network trained on sparsemax keeps its logits within about 1 of each other, of which softmax makes far less
        confidence than sparsemax does.
        """
        logits_of = _training().logits_of
        if len(data.held_codes):
            return find_temperature(logits_of(self.network_, data.held_rows), data.held_codes)
        if not self._recipe().sparse:
            return 1.0
        logits = logits_of(self.network_, (data.unlabelled if len(data.unlabelled) else data.rows)[:MOST_READ])
        return find_temperature(logits, sparsemax(logits))


def _settings(name: str, settings: SettingsType | None, kind: type[SettingsType]) -> SettingsType:
    """Return the settings, default ones for None; anything else is refused."""
    if settings is None:
        return kind()
    if not isinstance(settings, kind):
        raise InputError(f"{name} must be a {kind.__name__} or None; got a {type(settings).__name__}.")
    return settings


def _training() -> Any:
    """Return the module that trains, which needs torch."""
    try:
        from tacit.models.semi_supervised import training  # noqa: PLC0415 - torch is an extra
    except ModuleNotFoundError as problem:
        if problem.name != "torch":
            raise
        raise TacitError('SharpenedClassifier needs torch: pip install "tacit-knowledge[deep]".') from None
    return training
