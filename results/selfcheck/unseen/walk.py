# SPDX-License-Identifier: Apache-2.0
"""Goes through a jaxpr: calls, loops and branches stand here; what the values are, who walks says.

A subclass says
  equation(eqn, x)   the results of an operation on the values x
  constant(array)    a constant as a value
  literal(variable)  a literal of the jaxpr as a value
  number(value)      the plain number of a scalar that decides about control flow
  row(value, t)      what step t of a scan reads of it
  stacked(values)    what a scan gives of each step, as one value
"""

import numpy as np


class Walk:
    def run(self, jaxpr, consts, arguments):
        known = dict(zip(jaxpr.constvars, consts)) | dict(zip(jaxpr.invars, arguments))
        read = lambda v: self.literal(v) if hasattr(v, "val") else known[v]
        for eqn in jaxpr.eqns:
            known.update(zip(eqn.outvars, self.step(eqn, [read(v) for v in eqn.invars])))
        return [read(v) for v in jaxpr.outvars]

    def closed(self, closed, arguments):
        return self.run(closed.jaxpr, [self.constant(c) for c in closed.consts], arguments)

    def step(self, eqn, x):
        p, name = eqn.params, eqn.primitive.name
        if name == "scan":
            return self.scan(p, x)
        if name == "while":
            c, b = p["cond_nconsts"], p["body_nconsts"]
            state = x[c + b :]
            while bool(self.number(self.closed(p["cond_jaxpr"], x[:c] + state)[0])):
                state = self.closed(p["body_jaxpr"], x[c : c + b] + state)
            return state
        if name == "cond":
            branch = int(np.clip(int(self.number(x[0])), 0, len(p["branches"]) - 1))
            return self.closed(p["branches"][branch], x[1:])
        for key in ("call_jaxpr", "jaxpr", "fun_jaxpr"):
            if key in p:
                called = p[key]
                has_constants = hasattr(called, "consts")
                return self.closed(called, x) if has_constants else self.run(called, [], x)
        return self.equation(eqn, x)

    def scan(self, p, x):
        c, n = p["num_consts"], p["num_carry"]
        carry, rows = x[c : c + n], []
        order = range(p["length"])
        for t in reversed(order) if p["reverse"] else order:
            out = self.closed(p["jaxpr"], x[:c] + carry + [self.row(v, t) for v in x[c + n :]])
            carry = out[:n]
            rows.append(out[n:])
        rows = rows[::-1] if p["reverse"] else rows
        return carry + [self.stacked(column) for column in zip(*rows)]
