"""Sign a release with a key of the folder."""

from typing import Any

from tacit.interfaces.studio.worker import Order
from tacit.releases.signature import LockedKey, is_locked
from tacit.workflows.sign import sign


def run(order: Order) -> dict[str, Any]:
    """Sign ``file`` with ``key``, which the secret opens if it is locked."""
    path, key = (order.folder.existing(order.arguments[name]) for name in ("file", "key"))
    release = sign(path, LockedKey(key, order.secret) if is_locked(key) else key)
    return {"file": path.name, "signer": release.signer, "digest": release.digest}
