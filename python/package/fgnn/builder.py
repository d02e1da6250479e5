"""Graphs built from numpy arrays."""
from typing import Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from fgnn import _core
from fgnn._core import FactorGraph, Potential


class Builder:
    """Makes a FactorGraph: declare variables, add unaries and factors, build.

    Variables are numbers from 0 on; variables() gives those of a block as an array. All values are
    natural logarithms, and minus infinity forbids. A grid of 100 by 100 binary variables whose
    neighbours like to be equal takes a few calls:

    >>> import numpy as np, fgnn
    >>> b = fgnn.Builder()
    >>> x = b.variables("x", (100, 100), 2)
    >>> b.unary(x, np.random.default_rng(0).normal(size=(100, 100, 2)))
    >>> alike = np.array([[0.5, 0.0], [0.0, 0.5]])
    >>> b.factors(np.stack([x[:, :-1], x[:, 1:]], axis=-1), alike)
    >>> b.factors(np.stack([x[:-1], x[1:]], axis=-1), alike)
    >>> b.build()
    <fgnn.FactorGraph: 10000 variables, 19800 factors, 39600 edges>
    """

    def __init__(self) -> None:
        self._builder = _core.GraphBuilder()

    def variable(self, name: str, states: int) -> int:
        """Declares one variable and returns its number."""
        return self._builder.variable(name, states)

    def variables(self, name: str, shape: Union[int, Sequence[int]],
                  states: Union[int, ArrayLike]) -> np.ndarray:
        """Declares name[0], name[1], … and returns their numbers in an array of this shape.

        `states` is one number for all, or one for each variable.

        >>> b = fgnn.Builder()
        >>> b.variables("x", (2, 2), 3)
        array([[0, 1],
               [2, 3]], dtype=uint32)
        >>> b.variables("y", 2, [2, 5])
        array([4, 5], dtype=uint32)
        """
        size = int(np.prod(shape))
        if np.ndim(states) == 0:
            ids = self._builder.variables(name, size, np.asarray(states).item())
        else:
            each = np.broadcast_to(np.asarray(states), shape)
            ids = self._builder.variables_of(name, each.ravel())
        return ids.reshape(shape)

    def unary(self, variables: Union[int, str, ArrayLike], log_values: ArrayLike) -> None:
        """Adds log-potentials to one variable or to many.

        `log_values` has a number per state, for all of the variables, or rows of such numbers: an
        array of the shape of `variables` and one axis more. Several calls add up.
        """
        self._builder.unary(self._number(variables), np.asarray(log_values, dtype=np.float64))

    def constant(self, log_value: float) -> None:
        """Adds a number to every assignment's score."""
        self._builder.constant(log_value)

    def factor(self, scope: Sequence[Union[int, str]],
               potential: Union[Potential, ArrayLike]) -> None:
        """Adds one factor: a potential, or a table with one axis per variable.

        >>> b = fgnn.Builder()
        >>> rain, wet = b.variable("rain", 2), b.variable("wet", 2)
        >>> b.factor(["rain", "wet"], np.log([[0.9, 0.1], [0.2, 0.8]]))
        >>> b.factor([rain, wet], fgnn.at_most(1))
        """
        numbers = [self._number(v) for v in scope]
        self.factors(np.asarray(numbers, dtype=np.int64).reshape(1, len(numbers)), potential)

    def factors(self, scopes: ArrayLike,
                potentials: Union[Potential, Sequence[Potential], ArrayLike]) -> None:
        """Adds many factors on equally many variables.

        `scopes` has their variables along its last axis. `potentials` is one potential or table for
        all of them, a list of potentials, or an array with a table for each factor: one axis more
        than a table.

        >>> b = fgnn.Builder()
        >>> x = b.variables("x", 10, 2)
        >>> b.factors(np.stack([x[:-1], x[1:]], axis=1), np.zeros((9, 2, 2)))
        >>> b.factors(x.reshape(2, 5), fgnn.exactly_one())
        """
        scopes = np.asarray(scopes)
        if scopes.ndim > 2:
            scopes = scopes.reshape(-1, scopes.shape[-1])
        if isinstance(potentials, (list, tuple)) and potentials:
            if isinstance(potentials[0], Potential):
                self._builder.factors(scopes, list(potentials))
                return
        if not isinstance(potentials, Potential):
            potentials = np.asarray(potentials, dtype=np.float64)
        self._builder.factors(scopes, potentials)

    @property
    def num_variables(self) -> int:
        """Declared so far."""
        return self._builder.num_variables

    @property
    def num_factors(self) -> int:
        """Added so far."""
        return self._builder.num_factors

    def build(self) -> FactorGraph:
        """The graph. The builder is empty afterwards."""
        return self._builder.build()

    def _number(self, variable):
        return self._builder.find(variable) if isinstance(variable, str) else variable
