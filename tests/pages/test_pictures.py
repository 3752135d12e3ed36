"""Arrays as PNG pictures."""

import base64
import re
import struct
import zlib

import numpy as np
import pytest

from tacit.pages.pictures import picture, png


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 3)])
def test_a_png_holds_the_pixels_that_were_given(shape: tuple[int, ...]) -> None:
    levels = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    content = png(levels)
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    place, chunks = 8, {}
    while place < len(content):
        size, kind = struct.unpack(">I4s", content[place : place + 8])
        body = content[place + 8 : place + 8 + size]
        assert struct.unpack(">I", content[place + 8 + size : place + 12 + size])[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        place += 12 + size
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (5, 3, 8, 2 if len(shape) == 3 else 0, 0, 0, 0)
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(3, -1)
    assert (lines[:, 0] == 0).all()
    assert (lines[:, 1:].reshape(shape) == levels).all()


def test_a_picture_is_ink_on_paper_and_stays_in_range() -> None:
    source = re.search(r"base64,([\w+/=]+)", picture(np.array([0.0, 1.0, -3.0, 9.0]), (2, 2), alt="a"))
    assert source is not None
    content = base64.b64decode(source[1])
    start = content.index(b"IDAT") + 4
    assert zlib.decompress(content[start:-16]) == bytes([0, 255, 0, 0, 255, 0])
    assert 'width="2"' in picture(np.zeros(8), (2, 2, 2), alt="two channels are averaged")
