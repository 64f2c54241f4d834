# SPDX-License-Identifier: Apache-2.0
"""Moves: element numbers move alike."""

import numpy as np

from tables import Node


class Moves:
    """Methods of evaluate.Machine."""

    def move(self, i, o, function, moved=1):
        sizes = [np.size(x.value) for x in o[:moved]]
        starts = np.cumsum([0] + sizes)
        numbers = function(
            *[np.arange(sizes[k]).reshape(np.shape(o[k].value)) + starts[k] for k in range(moved)]
        )
        flat = np.concatenate([np.ravel(x.value) for x in o[:moved]])
        y = np.asarray(flat[numbers]).reshape(i.shape.dims)
        if not i.shape.is_float:
            return Node(y)

        def back(w):
            all_weights = np.zeros(starts[-1], dtype=object)
            np.add.at(all_weights, np.ravel(numbers), np.ravel(w))
            return [
                (o[k], all_weights[starts[k] : starts[k + 1]].reshape(np.shape(o[k].value)))
                for k in range(moved)
            ]

        return self.note(y, np.zeros_like(y), back, i.shape.dtype)

    def broadcast(self, i, o):
        dims = i.ints("dimensions")
        shape = [1] * len(i.shape.dims)
        for k, d in enumerate(dims):
            shape[d] = o[0].value.shape[k]
        return self.move(i, o, lambda n: np.broadcast_to(n.reshape(shape), i.shape.dims))

    def reshape(self, i, o):
        return self.move(i, o, lambda n: n.reshape(i.shape.dims))

    def transpose(self, i, o):
        return self.move(i, o, lambda n: n.transpose(i.ints("dimensions")))

    def concatenate(self, i, o):
        d = i.ints("dimensions")[0]
        return self.move(i, o, lambda *n: np.concatenate(n, d), len(o))

    def slice(self, i, o):
        text = i.attrs.split("slice={", 1)[1].split("}")[0]
        parts = [tuple(int(x) for x in p.strip("[] ").split(":")) for p in text.split(",")]
        return self.move(i, o, lambda n: n[tuple(slice(*p) for p in parts)])

    def dynamic_slice(self, i, o):
        sizes = i.ints("dynamic_slice_sizes")
        at = [min(max(int(x.value), 0), n - s) for x, n, s in zip(o[1:], o[0].value.shape, sizes)]
        return self.move(i, o, lambda n: n[tuple(slice(a, a + s) for a, s in zip(at, sizes))])

    def dynamic_update_slice(self, i, o):
        sizes = o[1].value.shape
        at = [min(max(int(x.value), 0), n - s) for x, n, s in zip(o[2:], o[0].value.shape, sizes)]

        def place(n, update):
            n = n.copy()
            n[tuple(slice(a, a + s) for a, s in zip(at, sizes))] = update
            return n

        return self.move(i, o, place, 2)

    def gather(self, i, o):
        """Of single elements of a matrix, by rows of indices: what the programs here use."""
        at = o[1].value.reshape(-1, o[0].value.ndim)
        columns = [np.clip(at[:, k], 0, n - 1) for k, n in enumerate(o[0].value.shape)]
        return self.move(i, o, lambda n: n[tuple(columns)].reshape(i.shape.dims))
