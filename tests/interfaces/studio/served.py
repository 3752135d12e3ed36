"""A studio in a process of its own, and a client that speaks to it over a real socket."""

import http.client
import os
import re
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np
import polars as pl

from tacit.interfaces.studio.gate import COOKIE


def write_patients(path: Path, n: int = 400, *, seed: int = 0, labels: float = 1.0, separator: str = ",") -> None:
    """Write a table of people, some ill, with an identifier, missing doses and few or many labels."""
    draw = np.random.default_rng(seed)
    age, dose, sex = draw.integers(18, 90, n), draw.gamma(2, 1.5, n).round(2), draw.choice(["f", "m"], n)
    ill = np.where(age / 20 + dose - 5.5 + draw.normal(0, 0.7, n) > 0, "yes", "no")
    known = [str(each) if draw.random() < labels else None for each in ill]
    doses = [None if place % 17 == 0 else float(each) for place, each in enumerate(dose)]
    names = [f"p{place}" for place in range(n)]
    frame = pl.DataFrame({"id": names, "age": age, "dose": doses, "sex": sex, "ill": known})
    frame.write_csv(path, separator=separator, decimal_comma=separator == ";")


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Served:
    """A running studio."""

    folder: Path
    process: subprocess.Popen[str]
    address: str
    cookie: str = ""
    said: list[str] = field(default_factory=list)

    @property
    def origin(self) -> str:
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def host(self) -> str:
        return urlsplit(self.address).netloc

    def next_address(self) -> str:
        """Return the next address that is printed."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.said.append(line)
        return line.removeprefix("studio: ").strip()

    def ask(
        self, path: str, body: bytes | str | dict[str, str] | None = None, *, method: str = "", **headers: str | None
    ) -> Answer:
        """Ask as a page of the studio would; a header that is None is left out."""
        content = urlencode(body) if isinstance(body, dict) else body
        sent: dict[str, str | None] = {"Origin": self.origin, "Cookie": f"{COOKIE}={self.cookie}", "Host": self.host}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        host, port = self.host.rsplit(":", 1)
        secure = self.address.startswith("https")
        context = ssl._create_unverified_context() if secure else None
        connection = (
            http.client.HTTPSConnection(host, int(port), timeout=60, context=context)
            if secure
            else http.client.HTTPConnection(host, int(port), timeout=60)
        )
        connection.putrequest(method or ("GET" if body is None else "POST"), path, skip_host=True)
        raw = content.encode() if isinstance(content, str) else content
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        if raw is not None and "Content-Length" not in sent:
            connection.putheader("Content-Length", str(len(raw)))
        connection.endheaders(raw)
        answer = connection.getresponse()
        result = Answer(answer.status, dict(answer.getheaders()), answer.read())
        connection.close()
        return result

    def enter(self, address: str = "") -> Answer:
        """Open the address that was printed, and keep the session's cookie."""
        parts = urlsplit(address or self.address)
        answer = self.ask(f"{parts.path}?{parts.query}", Cookie="")
        if "set-cookie" in answer.headers:
            self.cookie = answer.headers["set-cookie"].split("=", 1)[1].split(";")[0]
        return answer

    def upload(self, name: str, content: bytes) -> Answer:
        return self.ask(f"/upload?{urlencode({'name': name})}", content, method="PUT")

    def wait(self, place: str, seconds: float = 120) -> str:
        """Wait for the job of the page ``place``, and return the state in which it ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = re.search(r'"state":\s*"(\w+)"', self.ask(f"{place}/state").text)
            if state and state[1] not in {"queued", "running"}:
                return state[1]
            time.sleep(0.1)
        raise AssertionError(f"{place} does not end")

    def work(self, path: str, fields: dict[str, str]) -> str:
        """Send a form that starts a job, wait until it is done, and return the place of its page."""
        answer = self.ask(path, fields)
        assert answer.status == 303, answer.text
        place = answer.headers["location"]
        assert self.wait(place) == "done", self.ask(place).text
        return place

    def stop(self, how: int = signal.SIGINT) -> int:
        self.process.send_signal(how)
        code = self.process.wait(30)
        assert self.process.stdout is not None
        self.said += self.process.stdout.readlines()
        self.process.stdout.close()
        return code


@contextmanager
def serving(folder: Path, *options: str, **environment: str) -> Iterator[Served]:
    """Yield a studio that works in ``folder``, started by its command."""
    command = [sys.executable, "-m", "tacit.interfaces.cli", "studio", str(folder), "--no-open", *options]
    command[1:3] = ["-W", "error::UserWarning", "-c", "from tacit.interfaces.cli.main import run; run()"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment}
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    served = Served(folder, process, first.removeprefix("studio: ").strip(), said=[first])
    try:
        yield served
    finally:
        if process.poll() is None:
            assert served.stop() == 0
        elif not process.stdout.closed:
            process.stdout.close()
