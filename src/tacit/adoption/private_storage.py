"""A privately adopted model as a file that may be handed out, and back."""

import numpy as np

from tacit.adoption.average_storage import named, under
from tacit.adoption.evidence import Evidence
from tacit.adoption.private_transfer import PrivateTransfer
from tacit.adoption.release_sources import ReleaseScores
from tacit.adoption.stored_model import rebuilt
from tacit.arrays import Arrays
from tacit.data.schema import Schema
from tacit.privacy.card import Card
from tacit.releases.file import Model

KIND = "private_model"


def private_to_model(model: PrivateTransfer) -> Model:
    """Return the model file: the releases' scores, the private correction, and its card."""
    arrays: Arrays = {"classes": np.asarray(model.classes_), "correction": model.coef_}
    sources = []
    for place, scores in enumerate(model.scores_):
        more, settings = scores.to_parts()
        arrays |= named(more, f"source_{place}")
        sources.append(settings)
    content = {
        "sources": sources,
        "notes": list(model.notes_),
        "with_columns": model.with_columns_,
        "epsilon": model.epsilon,
        "card": model.card_.to_dict(),
        "evidence": model.evidence_.to_dict(),
    }
    cards = tuple(release.card for release in model.releases)
    return Model(KIND, arrays, content, cards, model.known_schema.to_dict())


def private_from_model(file: Model) -> PrivateTransfer:
    """Return the classifier in a model file."""
    return rebuilt(file, KIND, "`tacit adopt --epsilon`", _rebuilt)


def _rebuilt(file: Model, schema: Schema) -> PrivateTransfer:
    arrays, settings = file.arrays, file.settings
    model = PrivateTransfer(float(settings["epsilon"]), schema=schema)
    model.classes_, model.coef_ = np.asarray(arrays["classes"]), np.asarray(arrays["correction"])
    model.scores_ = [
        ReleaseScores.from_parts(under(arrays, f"source_{place}"), each)
        for place, each in enumerate(settings["sources"])
    ]
    model.notes_ = [str(note) for note in settings["notes"]]
    model.with_columns_ = bool(settings["with_columns"])
    model.n_features_in_ = len(schema.encoded_names)
    model.card_ = Card.from_dict(settings["card"])
    model.evidence_ = Evidence.from_dict(settings["evidence"])
    return model
