"""What a running studio consists of."""

from tacit.interfaces.studio.access import Access
from tacit.interfaces.studio.folder import WorkFolder
from tacit.interfaces.studio.jobs import JobStore
from tacit.records import record

LARGEST_UPLOAD = 2 << 30


@record
class Studio:
    """The folder, the sessions and the jobs of a studio, and how large an upload may be."""

    folder: WorkFolder
    access: Access
    jobs: JobStore
    largest_upload: int = LARGEST_UPLOAD
