"""Array types that several layers use, and the class code of an unlabelled row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Rows = NDArray[np.floating[Any]]  # encoded rows [N, p], or coordinates of rows
Codes = NDArray[np.intp]  # class codes [N]
Arrays = dict[str, NDArray[Any]]  # the named arrays of a file
# What scikit-learn's validation keeps as it is; other types become the first.
FLOATS = [np.float64, np.float32]
# The class code of a row without a label.
UNLABELLED = -1
