import io
import sys

import pytest

from tacit.models.semi_supervised.progress import WIDTH, Bar, line


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("shown", [False, True])
def test_a_bar_is_drawn_on_a_terminal_and_elsewhere_ends_with_a_note(
    monkeypatch: pytest.MonkeyPatch, *, shown: bool, terminal: bool
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    bar = Bar(10, shown=shown)
    bar.show(7, "loss 0.1")
    bar.show(8, "loss 0.1")  # too soon
    bar.close("10 steps")
    output = stream.getvalue()
    assert ("7/10" in output) == (shown and terminal)
    assert "8/10" not in output
    assert ("10 steps" in output) == shown
    assert ("\r" in output) == (shown and terminal)


@pytest.mark.parametrize(("step", "full"), [(0, 0), (30, 7), (120, WIDTH)])
def test_the_line_is_as_full_as_the_work_is_done(step: int, full: int) -> None:
    text = line(step, 120, seconds=10, note="loss 0.5")
    assert text.count("━") == full
    assert text.count("╌") == WIDTH - full
    assert text.endswith("loss 0.5")


def test_the_time_left_is_that_of_the_steps_so_far() -> None:
    assert "30 s left" in line(30, 120, seconds=10, note="")
    assert "starting" in line(0, 120, seconds=0, note="")
