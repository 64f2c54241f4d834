# SPDX-License-Identifier: Apache-2.0
"""Sums, contractions and choices."""

import numpy as np

from tables import PRECISION, TRUNCATED, Node, contract, exact, ulp


class Sums:
    """Methods of evaluate.Machine."""

    def reduce(self, i, o):
        axes = tuple(i.ints("dimensions"))
        kind = self.computations[i.word("to_apply")][-1].opcode
        x = o[0].value
        n = int(np.prod([x.shape[a] for a in axes]))
        dtype = i.shape.dtype
        if not i.shape.is_float:
            return Node(
                {"add": np.sum, "maximum": np.max, "minimum": np.min, "and": np.all, "or": np.any}[
                    kind
                ](x, axis=axes)
            )
        if kind == "add":
            y = np.asarray(x.sum(axes), dtype=object)
            rounding = (n - 1) * 2.0 ** -PRECISION[dtype]
            bound = rounding * np.abs(x).sum(axes) + int(n > 1) * ulp(y, dtype) / 2
            chosen = np.ones_like(x)
        else:
            y = np.asarray(x.max(axes) if kind == "maximum" else x.min(axes), dtype=object)
            bound = np.zeros_like(y)
            chosen = exact(x == np.expand_dims(y, axes))
            chosen = chosen / np.maximum(chosen.sum(axes, keepdims=True), 1)
        return self.note(y, bound, lambda w: [(o[0], np.expand_dims(w, axes) * chosen)], dtype)

    def dot(self, i, o):
        a, b = o[0].value, o[1].value
        lb, rb = i.ints("lhs_batch_dims"), i.ints("rhs_batch_dims")
        lc, rc = i.ints("lhs_contracting_dims"), i.ints("rhs_contracting_dims")
        letters = iter("abcdefghijklmnopqrstuvwxyz")
        left = [next(letters) for _ in a.shape]
        right = [None] * b.ndim
        for l, r in zip(lb + lc, rb + rc):
            right[r] = left[l]
        right = [r or next(letters) for r in right]
        out = [left[d] for d in lb] + [x for d, x in enumerate(left) if d not in lb + lc]
        out += [x for d, x in enumerate(right) if d not in rb + rc]
        L, R, O = "".join(left), "".join(right), "".join(out)
        y = contract(f"{L},{R}->{O}", a, b)
        n = int(np.prod([a.shape[d] for d in lc]))
        dtype = i.shape.dtype
        unit = TRUNCATED
        magnitude = contract(f"{L},{R}->{O}", np.abs(a), np.abs(b))
        bound = n * unit * magnitude + ulp(y, dtype) / 2
        back = lambda w: [
            (o[0], contract(f"{O},{R}->{L}", w, b)),
            (o[1], contract(f"{L},{O}->{R}", a, w)),
        ]
        return self.note(y, bound, back, dtype)

    def windows(self, i, x, size, stride, low, axes):
        """Numbers of the elements of each window; -1: padding."""
        numbers = np.arange(x.size).reshape(x.shape)
        pads = [(0, 0)] * x.ndim
        for k, a in enumerate(axes):
            pads[a] = (low[k], size[k])
        padded = np.pad(numbers, pads, constant_values=-1)
        return np.lib.stride_tricks.sliding_window_view(padded, size, axes), stride

    def window(self, i):
        text = i.attrs.split("window={", 1)[1].split("}")[0]
        parts = dict(p.split("=") for p in text.split())
        size = [int(x) for x in parts["size"].split("x")]
        stride = [int(x) for x in parts.get("stride", "x".join(["1"] * len(size))).split("x")]
        low = [
            int(p.split("_")[0]) for p in parts.get("pad", "x".join(["0_0"] * len(size))).split("x")
        ]
        return size, stride, low

    def reduce_window(self, i, o):
        x = o[0].value
        size, stride, low = self.window(i)
        views, _ = self.windows(i, x, size, stride, low, list(range(x.ndim)))
        picked = views[tuple(slice(0, None, s) for s in stride)][
            tuple(slice(0, d) for d in i.shape.dims)
        ]
        lists = picked.reshape(*i.shape.dims, -1)
        terms = np.where(lists >= 0, x.ravel()[lists], 0)
        y = terms.sum(-1)
        n = lists.shape[-1]
        bound = (n - 1) * 2.0**-24 * np.abs(terms).sum(-1) + ulp(y, i.shape.dtype) / 2

        def back(w):
            weights = np.zeros(x.size + 1, dtype=object)
            np.add.at(weights, lists, np.broadcast_to(w[..., None], lists.shape))
            return [(o[0], weights[:-1].reshape(x.shape))]

        return self.note(y, bound, back, i.shape.dtype)

    def convolution(self, i, o):
        """b01f_01io->b01f, stride 1: what the programs here use."""
        assert i.word("dim_labels").startswith("b01f_01io"), i.attrs
        x, k = o[0].value, o[1].value
        size, _, low = self.window(i)
        views, _ = self.windows(i, x, size, [1, 1], low, [1, 2])
        views = views[:, : i.shape.dims[1], : i.shape.dims[2]]  # batch, row, column, feature, taps
        patches = np.where(views >= 0, x.ravel()[views], 0)
        y = contract("bijfrs,rsfo->bijo", patches, k)
        n = (views >= 0).sum((3, 4, 5))[..., None]
        magnitude = contract("bijfrs,rsfo->bijo", np.abs(patches), np.abs(k))
        bound = n * TRUNCATED * magnitude + ulp(y, i.shape.dtype) / 2

        def back(w):
            weights = np.zeros(x.size + 1, dtype=object)
            np.add.at(weights, views, contract("bijo,rsfo->bijfrs", w, k))
            return [
                (o[0], weights[:-1].reshape(x.shape)),
                (o[1], contract("bijfrs,bijo->rsfo", patches, w)),
            ]

        return self.note(y, bound, back, i.shape.dtype)
