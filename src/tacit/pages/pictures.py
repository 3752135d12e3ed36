"""Arrays as small PNG pictures inside the page."""

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import FloatArray
from tacit.pages.markup import Markup, tag

_GREY, _COLOUR = 0, 2


def png(levels: NDArray[np.uint8]) -> bytes:
    """Return a PNG file of grey levels [height, width] or colours [height, width, 3]."""
    height, width = levels.shape[:2]
    colour = _GREY if levels.ndim == 2 else _COLOUR
    # Each line starts with a filter byte: 0, none.
    lines = np.column_stack([np.zeros(height, np.uint8), levels.reshape(height, -1)]).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(kind, content)
        for kind, content in ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    )


def picture(values: FloatArray, shape: tuple[int, ...], *, alt: str) -> Markup:
    """Return an image element of ``values`` in [0, 1], dark for 1, as ink on paper; outside values are cut off.

    ``shape`` is [height, width] or with channels, of which three are shown as colours and others as their mean.
    """
    pixels = np.clip(np.asarray(values, dtype=float).reshape(shape), 0.0, 1.0)
    if pixels.ndim == 3 and pixels.shape[2] != 3:
        pixels = pixels.mean(axis=2)
    levels = np.round(255 * (pixels if pixels.ndim == 3 else 1 - pixels)).astype(np.uint8)
    source = "data:image/png;base64," + base64.b64encode(png(levels)).decode("ascii")
    return tag("img", src=source, alt=alt, width=shape[1], height=shape[0], class_="pixels")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
