"""A model learned without labels as the file that a receiver keeps, and back."""

import numpy as np

from tacit.adoption.evidence import Evidence
from tacit.adoption.label_free_transfer import LabelFreeTransfer
from tacit.adoption.network_storage import layout_arrays, layout_settings, network_arrays, stored_learner
from tacit.adoption.storage import axes_arrays, stored_axes, stored_trained, trained_arrays, view_settings
from tacit.adoption.stored_model import rebuilt
from tacit.arrays import Arrays
from tacit.data.schema import Schema
from tacit.errors import InputError
from tacit.releases.file import Model

KIND = "label_free_model"


def label_free_to_model(model: LabelFreeTransfer) -> Model:
    """Return the model file of a fitted classifier; it holds knowledge of the receiver's rows."""
    arrays: Arrays = {"classes": np.asarray(model.classes_), "shares": model.shares_}
    content = {"evidence": model.evidence_.to_dict(), "network": model.network_ is not None}
    if model.network_ is not None:
        if model.network_.network is not None:
            raise InputError("network must be the default one to be stored in a model file; yours is your own code.")
        arrays |= {**network_arrays(model.network_.network_, "network"), **layout_arrays(model.network_.layout_)}
        content |= {"layout": layout_settings(model.network_.layout_), "temperature": model.network_.temperature_}
    elif model.trained_ is not None and model.axes_ is not None:
        arrays |= {**axes_arrays(model.axes_, "view"), **trained_arrays(model.trained_, "trained")}
        content |= {"view": view_settings(model.axes_.view)}
    cards = tuple(release.card for release in model.releases)
    return Model(KIND, arrays, content, cards, model.schema_.to_dict())


def label_free_from_model(file: Model) -> LabelFreeTransfer:
    """Return the classifier in a model file."""
    return rebuilt(file, KIND, "`tacit adopt` without labels", _rebuilt)


def _rebuilt(file: Model, schema: Schema) -> LabelFreeTransfer:
    arrays, settings = file.arrays, file.settings
    model = LabelFreeTransfer(schema=schema)
    model.schema_, model.classes_ = schema, np.asarray(arrays["classes"])
    model.n_features_in_ = len(schema.encoded_names)
    model.shares_ = np.asarray(arrays["shares"])
    model.evidence_ = Evidence.from_dict(settings["evidence"])
    model.network_, model.trained_, model.axes_ = None, None, None
    if settings["network"]:
        model.network_ = stored_learner(arrays, settings, schema, "network")
    else:
        model.axes_ = stored_axes(arrays, "view", settings["view"])
        model.trained_ = stored_trained(arrays, "trained")
    return model
