"""A studio in this process: its pages asked without a socket, its jobs written down and not started."""

import asyncio
import json
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import httpx

from tacit.interfaces.studio.access import Access
from tacit.interfaces.studio.app import make_app
from tacit.interfaces.studio.folder import WorkFolder
from tacit.interfaces.studio.jobs import Job, JobStore
from tacit.interfaces.studio.state import Studio

ORIGIN = "http://127.0.0.1:8123"


class Recorded(JobStore):
    """Jobs that are written down and not started."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.asked: list[tuple[str, dict[str, Any], str]] = []

    def start(self, task: str, arguments: Mapping[str, Any], *, secret: str = "") -> Job:
        self.asked.append((task, dict(arguments), secret))
        return self.done(task, arguments, {}, finished=False)

    def done(
        self, task: str, arguments: Mapping[str, Any], result: Mapping[str, Any], *, finished: bool = True, **state: Any
    ) -> Job:
        """Write down a job as if its process had ended so."""
        place = len(list(self._path.iterdir()))
        job = Job(self._path / f"{place:013d}-{task}-abcdef")
        job.path.mkdir()
        request = {"task": task, "arguments": dict(arguments)}
        (job.path / "request.json").write_text(json.dumps(request))
        if finished:
            job.finish(result)
        if state:
            job.tell(**state)
        return job


Answer = TypeVar("Answer")


def run_apart(coroutine: Coroutine[Any, Any, Answer]) -> Answer:
    """Return what ``coroutine`` returns, in a thread of its own: a browser's event loop may run in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, coroutine).result()


class Pages:
    """A client with a session."""

    def __init__(self, folder: Path) -> None:
        self.jobs = Recorded(folder)
        self.tokens: list[str] = []
        access = Access(self.tokens.append)
        access.announce_token()
        self.studio = Studio(WorkFolder.at(folder), access, self.jobs, 1 << 20)
        self.app = make_app(self.studio)
        self.cookies: dict[str, str] = {}
        entered = self.ask("GET", f"/enter?token={self.tokens[0]}")
        assert entered.status_code == 200
        self.cookies = dict(entered.cookies)

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Return the answer to one request."""

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, cookies=self.cookies) as client:
                return await client.request(method, path, **options)

        return run_apart(send())

    def get(self, path: str, **headers: str) -> str:
        """Return a page that is there."""
        answer = self.ask("GET", path, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.text

    def post(self, path: str, fields: Mapping[str, Any], status: int = 303) -> str:
        """Send a form, and return where it leads, or what is said against it."""
        answer = self.ask("POST", path, data=dict(fields), headers={"Origin": ORIGIN})
        assert answer.status_code == status, answer.text
        return answer.headers["location"] if status == 303 else answer.text
