"""Uploads: a file is streamed into the folder, and appears there whole or not at all."""

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse

from tacit.errors import InputError
from tacit.files.atomic import replacing
from tacit.interfaces.studio.bodies import pieces
from tacit.interfaces.studio.folder import LEDGERS
from tacit.interfaces.studio.frame import studio_of

WRITTEN_AT_ONCE = 1 << 20


async def upload(request: Request) -> JSONResponse:
    """Write the body to a file of the name that is asked for, or of one like it if there is such a file."""
    studio = studio_of(request)
    name = studio.folder.free(request.query_params.get("name", ""))
    if name.lower().endswith(LEDGERS):
        # A copy of an account has a budget of its own: releases on both would spend twice.
        raise InputError("a ledger is not uploaded: put the file itself into the folder.")
    waiting = bytearray()
    with replacing(studio.folder.file(name)) as file:
        async for piece in pieces(request, studio.largest_upload):
            waiting += piece
            if len(waiting) >= WRITTEN_AT_ONCE:
                await asyncio.to_thread(file.write, bytes(waiting))
                waiting.clear()
        file.write(waiting)
    return JSONResponse({"name": name})
