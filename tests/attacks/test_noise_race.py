"""Digits of a probability that several threads ask for at the same time are right for all of them."""

from fractions import Fraction

from tacit.privacy.noise import Probability


def test_a_thread_that_comes_between_does_not_shift_the_digits() -> None:
    """Another thread fills the memory while this one computes: simulated by asking again from within."""
    value = Fraction(355, 1130)
    right = Probability.ratio(value)
    interrupted = [True]

    def floor(bits: int) -> int:
        if interrupted:
            interrupted.clear()
            shared.word(0)  # the other thread
        return right.floor(bits)

    shared = Probability(floor)
    assert [shared.word(0), shared.word(1), shared.word(2)] == [right.word(0), right.word(1), right.word(2)]
