"""What came out of each task: the page that it leads to, or what its own page shows."""

from collections.abc import Callable
from urllib.parse import quote

from starlette.requests import Request

from tacit.interfaces.studio.jobs import Job
from tacit.pages.markup import Child

# Tasks whose result stands on another page.
NEXT: dict[str, Callable[[Job], str]] = {
    "describe": lambda job: f"/table/{quote(job.result['table'])}",
    "import_table": lambda job: f"/table/{quote(job.result['table'])}",
}
# Tasks whose result is shown where their progress was.
SHOWN: dict[str, Callable[[Request, Job], Child]] = {}


def outcome(request: Request, job: Job) -> Child:
    """Return what a job that is done has to show."""
    return SHOWN[str(job.request["task"])](request, job)
