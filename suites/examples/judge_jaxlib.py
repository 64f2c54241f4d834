# SPDX-License-Identifier: Apache-2.0
"""Judges jaxlib by the exported suite, with numpy only: no code of hlocts runs here.

    build/hlocts export --out=exported
    python3 judge_jaxlib.py exported            # needs: pip install jax

expected.jsonl has a line per output leaf. "exact" contains the bytes of the array: a byte per sub-byte
integer; zeros of either sign are accepted if "zero_sign_free", any NaN for a NaN if "nan_bits_free".
"sets" is a list of [flags, lo, hi, origin, term], two for each complex element; {"repeat": n} repeats the
last one. Flags permit NaN, infinities, zeros of each sign and finite values. A finite value must also be
from lo to hi: the bits of a double in hexadecimal, or decimal integers with flag INTEGER. A leaf with a
"predicate" also has a condition on the array as a whole. If the file has the data, as for small arrays,
this script checks "normwise" (the error of each transform as a vector), "residual" (of a factorization or
solution, from the engine's result) and "permutation" (rows of a sort); it only counts all others.
"""
import json
import os
import struct
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np

FINITE, NAN, POS_INF, NEG_INF, POS_ZERO, NEG_ZERO, INTEGRAL, BITS, ANY = (1 << i for i in range(9))
INTEGER = 1 << 12


def double(text):
    return struct.unpack(">d", bytes.fromhex(text))[0]


def accepts(entry, value, raw):
    """Returns True if the entry accepts an int or float; raw: the bits of the float."""
    flags, lo, hi = entry[:3]
    if flags & ANY:
        return True
    if flags & INTEGER:
        return int(lo) <= int(value) <= int(hi)
    value = float(value)
    if np.isnan(value):
        return bool(flags & NAN) or (bool(flags & BITS) and raw == int(lo, 16))
    if np.isinf(value):
        return bool(flags & (POS_INF if value > 0 else NEG_INF))
    if not flags & FINITE or not double(lo) <= value <= double(hi):
        return False
    if value == 0:
        return bool(flags & (NEG_ZERO if np.signbit(value) else POS_ZERO))
    return not flags & INTEGRAL or value == np.floor(value)


def entries(sets):
    for entry in sets:
        if isinstance(entry, dict):
            yield from (last for _ in range(entry["repeat"]))
        else:
            last = entry
            yield entry


def parts(array):
    """Returns the elements in row-major order; a complex element becomes two numbers."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def check(leaf, array):
    """Returns None, or a text about the first wrong element."""
    if list(array.shape) != leaf["dimensions"]:
        return f"shape {array.shape}, expected {leaf['dimensions']}"
    values = parts(array)
    floating = values.dtype.kind == "f"
    bits = values.view(f"u{values.itemsize}") if floating else values
    if "exact" in leaf:
        wanted = np.frombuffer(bytes.fromhex(leaf["exact"]), dtype=values.dtype)
        good = wanted.view(bits.dtype) == bits
        if floating and leaf["nan_bits_free"]:
            good |= np.isnan(wanted) & np.isnan(values)
        if floating and leaf["zero_sign_free"]:
            good |= (wanted == 0) & (values == 0)
        bad = np.flatnonzero(~good)
        return f"element {bad[0]} is {values[bad[0]]!r}, expected {wanted[bad[0]]!r}" if bad.size else None
    for i, (entry, value, raw) in enumerate(zip(entries(leaf["sets"]), values.tolist(), bits.tolist())):
        if not accepts(entry, value, raw):
            return f"element {i} is {value!r}, accepted {entry[:3]}"
        few = leaf.get("choices", {}).get(str(i))
        if few and not any(accepts(one, value, raw) for one in few):
            return f"element {i} is {value!r}, accepted one of {[one[:3] for one in few]}"
    return None


def numbers(values, like):
    """Returns a list of numbers as a 1-D array; two entries make a number if `like` is complex."""
    flat = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    return (flat.view(np.complex128) if np.iscomplexobj(like) else flat).reshape(-1)


def normwise(p, array):
    error = np.abs(wide(array).reshape(-1) - numbers(p["centre"], array))
    for block, bound in zip(error.reshape(len(p["bounds"]), -1) if p["bounds"] else [], p["bounds"]):
        norm = np.sqrt(np.sum(block * block))
        if bound >= 0 and not norm <= bound:
            return f"2-norm of a transform's error is {norm}, at most {bound}"
    return None


def wide(array):
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def inverted_blocks(bound, t):
    """Returns |T| (I - 2 bound |T^-1||T|)^-1 |T^-1|, for engines that use inverses of blocks."""
    inverse = np.abs(np.linalg.inv(t))
    return np.abs(t) @ np.linalg.solve(np.eye(len(t)) - 2 * bound * inverse @ np.abs(t), inverse)


def cholesky(p, array):
    n = array.shape[-1]
    given = numbers(p["matrix"], array).reshape(-1, n, n)
    off = np.array(p.get("radius", np.zeros(given.size)), np.float64).reshape(-1, n, n)
    results = wide(array).reshape(-1, n, n)
    for free, a, radius, result in zip(p["free"], given, off, results):
        if free:
            continue
        if not p["lower"]:  # a is Hermitian: the upper triangle is the conjugate of the lower one
            a, result, radius = a.conj().T, result.conj().T, radius.T
        low = np.tril(result)
        if not (np.isfinite(low).all() and (np.diag(low).real > 0).all()):
            return "an element is not finite, or a diagonal one is not positive"
        residual = np.abs(np.tril(a) - np.tril(low @ low.conj().T))
        # The sums of row i and of row j of |L|, up to column j.
        rows = np.array([[np.abs(low[[i, j], : j + 1]).sum() for j in range(n)] for i in range(n)])
        allowed = p["bound"] * (np.abs(low) @ np.abs(low).T) + p["flush"] * (1 + rows) + radius
        if p.get("block_inverse"):
            below, lead = np.tril(np.ones((n, n)), -1), low[:-1, :-1]
            rows, b = (np.abs(low) * below)[:, :-1], ((np.abs(a) + radius) * below)[:, :-1]
            more = (b + rows @ np.abs(lead).T) @ inverted_blocks(p["bound"], lead).T + b
            allowed[:, :-1] += p["bound"] * more * below[:, :-1]
        if not (np.tril(residual <= allowed) | ~np.tril(np.ones((n, n), bool))).all():
            return f"|A - L L^H| is {np.max(residual)}"
    return None


def triangular_solve(p, array):
    x = wide(array)
    b = numbers(p["right"], array).reshape(x.shape)
    n = x.shape[-2] if p["left"] else x.shape[-1]
    given = numbers(p["matrix"], array).reshape(-1, n, n)
    unknowns, rights = x.reshape((-1,) + x.shape[-2:]), b.reshape((-1,) + x.shape[-2:])
    for free, a, u, r in zip(p["free"], given, unknowns, rights):
        if free:
            continue
        t = np.tril(a) if p["lower"] else np.triu(a)
        if p["unit"]:
            np.fill_diagonal(t, 1)  # a unit diagonal is assumed, not read
        t = {"TRANSPOSE": t.T, "ADJOINT": t.conj().T}.get(p["transpose"], t)
        if not p["left"]:
            t, u, r = t.T, u.T, r.T
        residual = np.abs(r - t @ u)
        v = np.abs(t) @ np.abs(u) + (np.abs(r) if p.get("right_side", True) else 0)
        flushes = p["flush"] * (1 + np.abs(t).sum(axis=1))[:, None]
        if p["block_inverse"]:  # an engine may have multiplied by inverses of blocks
            flushes = flushes * (1 + v.sum(axis=0) + np.abs(u).sum(axis=0))[None, :]
            allowed = p["bound"] * inverted_blocks(p["bound"], t) @ (v + flushes)
            allowed += p["bound"] * (v + flushes) + flushes
        else:
            allowed = p["bound"] * v + flushes
        if not (residual <= allowed).all():
            return f"|b - T x| is {np.max(residual)}"
    return None


def row_bytes(arrays, flush, at):
    row = b""
    for array, may_flush in zip(arrays, flush):
        element = parts(array[at : at + 1]).copy()
        if may_flush and element.dtype.kind == "f":
            small = np.abs(element) < np.finfo(element.dtype).tiny
            element[small] = np.copysign(0, element[small])
        row += element.tobytes()
    return row


def permutation(p, slots):
    """slots: the outputs with the columns of the rows, by operand number."""
    own = [slots[k].reshape(-1) for k in sorted(slots)]
    wanted = [np.frombuffer(bytes.fromhex(p["sorted"][k]), dtype=slots[k].dtype) for k in sorted(slots)]
    flush = [p["may_flush"][k] for k in sorted(slots)]
    for start, clusters in zip(p["starts"], p["clusters"]):
        places = [start + i * p["stride"] for i in range(len(clusters))]
        rows = lambda columns: sorted((c, row_bytes(columns, flush, at)) for c, at in zip(clusters, places))
        if rows(own) != rows(wanted):
            return "the rows of a line are not a permutation of the operands' rows"
    return None


def moved_back(leaf, array):
    """Returns the array as the predicate reads it; None if the file does not give its positions."""
    moved = leaf.get("moved")
    if not isinstance(moved, dict):
        return None if moved else array
    places = np.array(moved["places"], np.int64)
    found = array.reshape(-1)[np.maximum(places, 0)]
    return np.where(places < 0, np.zeros((), array.dtype), found).reshape(moved["dimensions"])


def joint(leaves, outputs):
    """Returns (number of predicates left to hlocts, first error of the others or None)."""
    left = 0
    outputs = [moved_back(leaf, array) for leaf, array in zip(leaves, outputs)]
    for number, (leaf, array) in enumerate(zip(leaves, outputs)):
        kind, p = leaf.get("predicate"), leaf.get("parameters", {})
        if array is None:
            left, wrong = left + 1, None
        elif kind == "normwise" and "centre" in p:
            wrong = normwise(p, array)
        elif kind == "residual" and "matrix" in p:
            wrong = {"cholesky": cholesky, "triangular_solve": triangular_solve}[p["of"]](p, array)
        elif kind == "permutation" and "sorted" in p:
            same = [i for i, other in enumerate(leaves) if other.get("parameters") == p]
            slots = {leaves[i]["slot"]: outputs[i] for i in same if outputs[i] is not None}
            wrong = permutation(p, slots)
        else:
            left, wrong = left + (kind is not None), None
        if wrong:
            return left, f"output {number}: {wrong}"
    return left, None


def judge(folder, outputs):
    leaves = [json.loads(line) for line in open(os.path.join(folder, "expected.jsonl"))]
    leaves = [leaf for leaf in leaves if "origins" not in leaf]
    if any(leaf.get("token") for leaf in leaves):
        return "skip", "a token among the outputs"
    if len(leaves) != len(outputs):
        return "fail", f"{len(outputs)} outputs, expected {len(leaves)}"
    for number, (leaf, array) in enumerate(zip(leaves, outputs)):
        if "runtime_sizes" in leaf:
            return "skip", "a dynamic size"
        wrong = check(leaf, array)
        if wrong:
            return "fail", f"output {number}: {wrong}"
    left, wrong = joint(leaves, outputs)
    if wrong:
        return "fail", wrong
    return ("partly", f"{left} predicates need hlocts") if left else ("pass", "")


def run(folder):
    """Returns the outputs of jaxlib's CPU client for module.pb and inputs.npz."""
    import jax
    from jaxlib import xla_client

    jax.config.update("jax_enable_x64", True)
    client = xla_client.make_cpu_client()
    device = client.local_devices()[0]
    with open(os.path.join(folder, "module.pb"), "rb") as file:
        computation = xla_client.XlaComputation(file.read())
    mlir = xla_client._xla.mlir.xla_computation_to_mlir_module(computation)
    loaded = client.compile_and_load(mlir, xla_client.DeviceList((device,)), xla_client.CompileOptions())
    inputs = os.path.join(folder, "inputs.npz")
    data = np.load(inputs) if os.path.exists(inputs) else {}
    arguments = [jax.device_put(data[f"arg{i}"], device) for i in range(len(data))]
    results = loaded.execute_sharded(arguments)
    return [np.asarray(shard[0]) for shard in results.disassemble_into_single_device_arrays()]


def one(case, folder):
    # numpy has no names for the narrow types: the .npz has their bits, which jaxlib would read as integers.
    text = open(os.path.join(folder, "module.hlo")).read()
    if any(f"{name}[" in text for name in ("bf16", "f8", "f4", "s4", "u4", "s2", "u2")) or "f8e" in text:
        return "skip", "a type that numpy does not have"
    if case.get("devices") != {"replicas": 1, "partitions": 1} or "inconclusive" in case:
        return "skip", "several devices, or no acceptance set"
    try:
        outputs = run(folder)
    except Exception as error:  # the message with which the engine refused
        return "refused", str(error).splitlines()[0][:160]
    return judge(folder, outputs)


def main(root):
    counts, pool = {}, ProcessPoolExecutor(1)
    for line in open(os.path.join(root, "manifest.jsonl")):
        case = json.loads(line)
        if case["kind"] != "run":
            continue
        try:
            verdict, why = pool.submit(one, case, os.path.join(root, case["folder"])).result()
        except BrokenProcessPool:
            verdict, why, pool = "crash", "the engine's process died", ProcessPoolExecutor(1)
        counts[verdict] = counts.get(verdict, 0) + 1
        if verdict not in ("pass", "skip", "partly"):
            print(verdict, case["case"], why, flush=True)
    print(json.dumps(counts))


if __name__ == "__main__":
    main(sys.argv[1])
