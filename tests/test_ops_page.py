"""The list of operations is the registry's, as it is today."""

from scripts import ops_page
from tests.compiled import whole_project

pytestmark = whole_project  # most of the tiers are in that wing


def test_a_row_shows_its_formula_and_its_derivative() -> None:
    lines = ops_page.page().splitlines()
    (sigmoid,) = [line for line in lines if line.startswith("| **Sigmoid**")]
    assert "`1 / (1 + xp.exp(-x))`" in sigmoid
    (product,) = [line for line in lines if line.startswith("| **MatMul**")]
    assert "_matmul_grad" in product and "numba" in product
