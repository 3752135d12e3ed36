"""A classifier from few labels and many unlabelled rows, whose network sharpens its own predictions."""

import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.arrays import UNLABELLED, FloatArray
from tacit.data.schema import Schema
from tacit.errors import InputError, TacitError
from tacit.models.scikit_learn import BaseEstimator, ClassifierMixin
from tacit.models.semi_supervised.inputs import Rows, checked_image_shape, flat_rows, lay_out
from tacit.models.semi_supervised.labels import checked_guide, class_codes, class_shares, held_out
from tacit.models.semi_supervised.recipe import Recipe
from tacit.numerics.calibration import apply_temperature, find_temperature
from tacit.numerics.sparsemax import sparsemax

if TYPE_CHECKING:
    from torch import nn

    from tacit.models.semi_supervised.training import Data

# More rows than this do not make a temperature more exact.
MOST_READ = 5000


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
    power, temperature, confidence, negligible : float
        The power of adaptive sharpening, the temperature of sharpening, how likely a pseudo-label must be, and below
        which probability negative sampling takes a class for impossible.
    consistency_weight, distillation_weight : float
        α and β of [sharpening] eq. 4.1; β acts where the algorithm makes no target (VAT, or minimum entropy). In VAT
        with "ads" α counts four times, as much as for a softmax about as certain as sparsemax.
    class_balance : float
        How strongly the mean prediction is drawn to ``class_prior``; 0 leaves it free. VAT does so beside "ads", "sh"
        and "me" only: beside the others the mean would be balanced by being unsure of every row.
    class_prior : array-like [K] or None
        How common the classes are among unlabelled rows; None: as among the labelled.
    guide_weight : float
        Weight of the guide at the start of training; it fades out by the middle.
    ramp_up : float
        The share of the steps over which the weights of unlabelled rows grow to their full size.
    vat_radius : float
        Length of the adversarial step, in the network's units.
    n_steps, batch_size, unlabelled_ratio : int
        Steps at most, labelled rows in a step, and unlabelled rows for each of those.
    optimizer : {"adam", "nesterov"}
    learning_rate, weight_decay : float
    averaging : float
        How slowly the averaged weights, which predict, follow the trained ones; in [0, 1).
    early_stopping : bool
        Stop when held-out labelled rows no longer improve or, without such, when predictions have settled.
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
    >>> model = SharpenedClassifier(algorithm="vat", vat_radius=0.3, n_steps=200, random_state=0).fit(X, y)
    >>> bool(model.score(X, truth) > 0.9)
    True
    """

    def __init__(
        self,
        network: "nn.Module | None" = None,
        *,
        algorithm: str = "fixmatch",
        distillation: str = "ads",
        image_shape: tuple[int, ...] | None = None,
        schema: Schema | None = None,
        power: float = 2.0,
        temperature: float = 0.5,
        confidence: float = 0.95,
        negligible: float = 0.01,
        consistency_weight: float = 1.0,
        distillation_weight: float = 1.0,
        class_balance: float = 1.0,
        class_prior: ArrayLike | None = None,
        guide_weight: float = 1.0,
        ramp_up: float = 0.3,
        vat_radius: float = 1.0,
        n_steps: int = 1500,
        batch_size: int = 64,
        unlabelled_ratio: int = 4,
        optimizer: str = "adam",
        learning_rate: float = 0.002,
        weight_decay: float = 0.0005,
        averaging: float = 0.99,
        early_stopping: bool = True,
        validation_fraction: float | str = "auto",
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.network = network
        self.algorithm = algorithm
        self.distillation = distillation
        self.image_shape = image_shape
        self.schema = schema
        self.power = power
        self.temperature = temperature
        self.confidence = confidence
        self.negligible = negligible
        self.consistency_weight = consistency_weight
        self.distillation_weight = distillation_weight
        self.class_balance = class_balance
        self.class_prior = class_prior
        self.guide_weight = guide_weight
        self.ramp_up = ramp_up
        self.vat_radius = vat_radius
        self.n_steps = n_steps
        self.batch_size = batch_size
        self.unlabelled_ratio = unlabelled_ratio
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.averaging = averaging
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike, *, guide: ArrayLike | None = None) -> Self:
        """Learn from rows ``X`` and labels ``y`` [N], -1 where unlabelled.

        ``guide`` [N, K] holds soft labels that others lend, such as the predictions of a release; a uniform row knows
        nothing. It guides unlabelled rows, each by how much its soft label knows, and fades over training.
        """
        recipe = self._recipe()
        rows, given = self._checked(X, y)
        self.classes_, codes = class_codes(given, self.schema)
        soft = None if guide is None else checked_guide(guide, (len(codes), len(self.classes_)))
        self.layout_ = lay_out(rows, image_shape=self.image_shape_, schema=self.schema)
        generator = check_random_state(self.random_state)
        data = self._data(self.layout_.read(rows), codes, soft, generator)
        self._train(data, recipe, seed=int(generator.randint(2**31 - 1)))
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the class of each row."""
        codes = self.logits(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return class probabilities [N, K]: the softmax of the logits divided by ``temperature_``."""
        return apply_temperature(self.logits(X), self.temperature_)

    def logits(self, X: ArrayLike) -> FloatArray:
        """Return the network's logits [N, K], before any temperature."""
        check_is_fitted(self)
        flat, shape = flat_rows(X)
        if shape is not None and shape != self.image_shape_:
            raise InputError(f"X must hold pictures of shape {self.image_shape_}, channels last; got {shape}.")
        rows = np.asarray(validate_data(self, flat, dtype=np.float32, reset=False))
        found = _training().logits_of(self.network_, self.layout_.read(rows))
        return np.asarray(found, dtype=np.float64)

    def _recipe(self) -> Recipe:
        return Recipe(**{name: getattr(self, name) for name in Recipe.__dataclass_fields__})

    def _checked(self, X: ArrayLike, y: ArrayLike) -> tuple[Rows, NDArray[Any]]:
        flat, shape = flat_rows(X)
        rows, given = validate_data(self, flat, y, dtype=np.float32)
        check_classification_targets(given)
        stated = checked_image_shape(self.image_shape, rows.shape[1])
        if shape is not None and stated not in {None, shape}:
            raise InputError(f"image_shape must be that of X, {shape} with channels last; got {self.image_shape!r}.")
        self.image_shape_ = shape or stated
        return np.asarray(rows), np.asarray(given)

    def _data(self, rows: Rows, codes: NDArray[np.intp], guide: FloatArray | None, generator: Any) -> "Data":
        labelled, unlabelled = np.flatnonzero(codes != UNLABELLED), np.flatnonzero(codes == UNLABELLED)
        held = held_out(codes[labelled], self.validation_fraction, generator)
        kept, out = labelled[~held], labelled[held]
        data: Data = _training().Data(
            rows=rows[kept],
            codes=codes[kept],
            unlabelled=rows[unlabelled],
            guide=None if guide is None else guide[unlabelled],
            held_rows=rows[out],
            held_codes=codes[out],
            prior=class_shares(codes[labelled], len(self.classes_), self.class_prior),
        )
        return data

    def _train(self, data: "Data", recipe: Recipe, *, seed: int) -> None:
        import torch  # noqa: PLC0415 - an extra, needed only here

        from tacit.models.semi_supervised import networks  # noqa: PLC0415 - as above

        training = _training()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = networks.quick(self._untrained(networks))
            wrong = networks.fitting_network(network, torch.from_numpy(data.rows[:1]), len(self.classes_))
            if wrong:
                raise InputError(f"network does not fit the rows and classes: {wrong}.")
            trained = training.train(
                network, data, recipe, training.augmentation_of(self.layout_), verbose=self.verbose
            )
        self.network_, self.n_steps_, self.history_ = trained.network, trained.n_steps, trained.history
        self.temperature_ = self._found_temperature(data)

    def _untrained(self, networks: Any) -> "nn.Module":
        if self.network is not None:
            return copy.deepcopy(self.network)
        made: nn.Module = networks.default_network(self.layout_.network_shape, len(self.classes_))
        return made

    def _found_temperature(self, data: "Data") -> float:
        """Return the temperature that fits held-out labels, else the one by which softmax says what was trained.

        A network trained on sparsemax keeps its logits within about 1 of each other, of which softmax makes far less
        confidence than sparsemax does.
        """
        logits_of = _training().logits_of
        if len(data.held_codes):
            return find_temperature(logits_of(self.network_, data.held_rows), data.held_codes)
        if self.distillation != "ads":
            return 1.0
        logits = logits_of(self.network_, (data.unlabelled if len(data.unlabelled) else data.rows)[:MOST_READ])
        return find_temperature(logits, sparsemax(logits))


def _training() -> Any:
    """Return the module that trains, which needs torch."""
    try:
        from tacit.models.semi_supervised import training  # noqa: PLC0415 - torch is an extra
    except ModuleNotFoundError as problem:
        if problem.name != "torch":
            raise
        raise TacitError('SharpenedClassifier needs torch: pip install "tacit[deep]".') from None
    return training
