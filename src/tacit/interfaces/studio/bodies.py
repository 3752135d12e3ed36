"""Bodies of requests: forms and uploads, read piece by piece and cut off where they are too long or too slow."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tacit.errors import InputError

LARGEST_FORM = 1 << 20
MOST_FIELDS = 20_000
# Seconds within which the next piece of a body must come.
PIECE_SECONDS = 20.0


async def pieces(request: Request, largest: int, *, seconds: float = PIECE_SECONDS) -> AsyncIterator[bytes]:
    """Yield the body of ``request``; raise HTTPException if it has more than ``largest`` bytes or stops coming."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or len(declared) > 18 or int(declared) > largest:
        raise _too_long(largest)
    stream, length = request.stream().__aiter__(), 0
    while True:
        try:
            async with asyncio.timeout(seconds):
                piece = await anext(stream)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise HTTPException(408, "the upload stopped; send it again.", {"Connection": "close"}) from None
        length += len(piece)
        if length > largest:
            raise _too_long(largest)
        yield piece


def _too_long(largest: int) -> HTTPException:
    words = f"a request may have at most {largest:,} bytes."
    return HTTPException(413, words, {"Connection": "close"})


@dataclass(frozen=True)
class Form:
    """The fields of a form, as the browser sent them."""

    fields: dict[str, list[str]]

    def text(self, name: str) -> str:
        """Return a field's text without outer blanks, "" if it is missing."""
        return self.fields.get(name, [""])[-1].strip()

    def texts(self, name: str) -> list[str]:
        """Return every text of a field that may be sent several times."""
        return [text for text in self.fields.get(name, []) if text]

    def number(self, name: str) -> float:
        """Return a field as a number, written with a point or a comma."""
        text = self.text(name)
        try:
            return float(text.replace(",", "."))
        except ValueError:
            raise InputError(f"{name} must be a number; got {text!r}.") from None

    def whole(self, name: str) -> int | None:
        """Return a field as a whole number, None if it is empty."""
        text = self.text(name)
        if text and not text.isdecimal():
            raise InputError(f"{name} must be a whole number; got {text!r}.")
        return int(text) if text else None


async def read_form(request: Request) -> Form:
    """Return the fields of a form, sent as forms are by default."""
    raw = b"".join([piece async for piece in pieces(request, LARGEST_FORM)])
    try:
        return Form(parse_qs(raw.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise InputError("the form cannot be read; load the page again.") from None
