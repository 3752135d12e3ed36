"""What the layers of a private autoencoder will draw: their queries, calibrated together, as steps of an account."""

from collections.abc import Iterator, Sequence

from tacit import checks
from tacit.errors import InputError
from tacit.models.autoencoder.functional_mechanism import MomentQuery, Norm, split_noise
from tacit.models.autoencoder.layers import NoisyQuery, stack_shares
from tacit.privacy.account import Step
from tacit.privacy.budget import Budget
from tacit.privacy.mechanisms import Gaussian, Laplace


def layer_widths(hidden: Sequence[int], *, least: int) -> tuple[int, ...]:
    """Return ``hidden`` as whole numbers, at least ``least`` of them."""
    try:
        widths = tuple(checks.whole("hidden", width) for width in hidden)
    except TypeError:
        raise InputError(f"hidden must be a sequence of whole numbers such as (30,); got {hidden!r}.") from None
    if len(widths) < least:
        raise InputError(f"hidden must name at least {least} layer's width; got none.")
    return widths


def noise_norm(delta: float) -> Norm:
    """Return the norm of the noise: 1 (Laplace) for pure epsilon, 2 (Gaussian) with a delta."""
    return 1 if delta == 0 else 2


def layer_steps(layers: Sequence[Sequence[NoisyQuery]]) -> list[Step]:
    """Return the planned releases of each layer."""
    return [
        Step(mechanism, f"the {what} of layer {depth}", because(query))
        for depth, layer in enumerate(layers, start=1)
        for what, (query, mechanism) in zip(
            ("moments of input and public code", "summed input and its count"), layer, strict=False
        )
    ]


def because(query: MomentQuery) -> str:
    """Return the sentence that makes the sensitivity of ``query`` true."""
    return (
        f"adding one row whose target has {query.norm}-norm at most {query.target_norm:.6g} and whose code has "
        f"{query.norm}-norm at most {query.hidden_norm:.6g} moves the products, those of the code weighted "
        f"{query.weight:g}, by at most {query.sensitivity:.6g}"
    )


def calibrated_stack(
    queries: Sequence[tuple[MomentQuery, ...]], share: float, *, budget: Budget, output: Sequence[MomentQuery] = ()
) -> tuple[list[list[NoisyQuery]], list[NoisyQuery]]:
    """Return the queries of each layer with their noise, and those of the output layer.

    The layers get ``share`` of the budget in equal parts, the output layer the rest.
    """
    layered = [query for layer in queries for query in layer]
    shares = [*stack_shares(queries, share), *(1 - share for _ in output)]
    mechanisms: Iterator[Laplace | Gaussian] = iter(split_noise([*layered, *output], shares, budget=budget))
    layers = [[(query, next(mechanisms)) for query in layer] for layer in queries]
    return layers, [(query, next(mechanisms)) for query in output]
