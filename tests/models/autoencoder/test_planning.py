import pytest

from tacit.errors import InputError
from tacit.models.autoencoder.functional_mechanism import split_noise
from tacit.models.autoencoder.layers import stack_queries, stack_shares
from tacit.models.autoencoder.output_layer import output_query
from tacit.models.autoencoder.planning import because, calibrated_stack, layer_steps, layer_widths, noise_norm
from tacit.privacy import accounting
from tacit.privacy.account import plan_event
from tacit.privacy.budget import Budget, Unit

PURE, APPROXIMATE = Budget(2.0, unit=Unit.RECORD), Budget(2.0, 1e-6, unit=Unit.RECORD)


def test_widths_are_whole_numbers() -> None:
    assert layer_widths([3, 2], least=1) == (3, 2)
    assert layer_widths((), least=0) == ()
    for hidden in ([2.5], [0], 7, ()):
        with pytest.raises(InputError, match="hidden"):
            layer_widths(hidden, least=1)  # type: ignore[arg-type]


def test_without_delta_the_noise_is_bounded_in_one_norm() -> None:
    assert (noise_norm(0.0), noise_norm(1e-9)) == (1, 2)


@pytest.mark.parametrize("budget", [PURE, APPROXIMATE])
def test_layers_and_output_together_cost_the_budget(budget: Budget) -> None:
    norm = noise_norm(budget.delta)
    queries, last = stack_queries(10, (6, 4), norm=norm), output_query(3, 4, norm=norm)
    layers, (output,) = calibrated_stack(queries, 0.4, budget=budget, output=[last])
    assert [tuple(query for query, _ in layer) for layer in layers] == queries
    assert output[0] is last
    expected = split_noise(
        [*(query for layer in queries for query in layer), last], [*stack_shares(queries, 0.4), 0.6], budget=budget
    )
    assert [*(mechanism for layer in layers for _, mechanism in layer), output[1]] == expected
    steps = [*layer_steps(layers), *layer_steps([[output]])]
    assert accounting.epsilon(plan_event(steps), delta=budget.delta) == pytest.approx(2.0, rel=1e-3)


def test_layers_alone_may_have_all_of_the_budget_or_a_part() -> None:
    queries = stack_queries(10, (6,), norm=1)
    for share in (1.0, 0.25):
        layers, output = calibrated_stack(queries, share, budget=PURE)
        assert output == []
        assert accounting.epsilon(plan_event(layer_steps(layers)), delta=0.0) == pytest.approx(2.0 * share, rel=1e-3)
    assert calibrated_stack([], 0.0, budget=PURE) == ([], [])


def test_steps_name_the_layer_and_state_the_inequality() -> None:
    layers, _ = calibrated_stack(stack_queries(10, (6, 4), norm=1), 1.0, budget=PURE)
    steps = layer_steps(layers)
    assert [step.what for step in steps] == [
        f"the {what} of layer {depth}"
        for depth in (1, 2)
        for what in ("moments of input and public code", "summed input and its count")
    ]
    for step, (query, mechanism) in zip(steps, [pair for layer in layers for pair in layer], strict=True):
        assert step.mechanism is mechanism
        assert step.because == because(query)
        assert f"by at most {mechanism.sensitivity:.6g}" in step.because
