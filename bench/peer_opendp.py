"""Draws OpenDP's exact float Laplace noise and prints seconds per draw; runs in the peers' environment."""

import sys
import time

import opendp.prelude as dp


def main(count: int) -> None:
    """Print the time of one draw, measured on ``count`` of them."""
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    laplace = dp.m.make_laplace(*domain, scale=1.0)
    values = [0.0] * count
    laplace(values[:100])
    start = time.perf_counter()
    laplace(values)
    print((time.perf_counter() - start) / count)


main(int(sys.argv[1]))
