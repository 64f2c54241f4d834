#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""functions_test.py HLOCTS [ENGINE]: tests that the text that JAX prints for each function of
functions.py gets a verdict. Exits with status 77 if JAX is missing."""
import ast
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Outputs that are no verdicts on the function: an error of the harness, or of reading the text.
NO_VERDICT = ("error", "hlocts:")
SKIPPED = 77


def function_names():
    """Returns the names without importing the file, which would need JAX."""
    tree = ast.parse((HERE / "functions.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "FUNCTIONS":
            return [key.value for key in node.value.keys]
    raise AssertionError("functions.py has no FUNCTIONS")


def verdict(program, engine, folder, name):
    command = [program, "diff", folder / f"{name}.mlir", f"--inputs={folder / name}.npz",
               f"--backend={engine}"]
    ran = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         timeout=120)
    return ran.stdout.split()[0] if ran.stdout else "nothing"


def main():
    program, engine = sys.argv[1], (sys.argv[2:] or ["reference"])[0]
    names = function_names()
    if not (pathlib.Path(program).parent / "libhlocts_xla.so").exists():
        print(f"skipped: {len(names)} functions, this build omits XLA's C++")
        return SKIPPED
    if subprocess.run([program, "backends", f"--backend={engine}"], check=False).returncode != 0:
        print(f"skipped: {len(names)} functions, no engine {engine}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        wrote = subprocess.run([sys.executable, HERE / "functions.py", folder], text=True,
                               capture_output=True)
        if "No module named 'jax'" in wrote.stderr:
            print(f"skipped: {len(names)} functions, JAX is not installed")
            return SKIPPED
        wrote.check_returncode()
        verdicts = {name: verdict(program, engine, folder, name) for name in names}
    for name, said in verdicts.items():
        print(f"{said:12} {name}")
    return any(said in NO_VERDICT or said == "nothing" for said in verdicts.values())


if __name__ == "__main__":
    sys.exit(main())
