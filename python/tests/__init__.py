# SPDX-License-Identifier: Apache-2.0
"""Helps the tests of JAX programs."""

import importlib
import os
import pathlib

from hlocts import binary, jax_plugin
from hlocts.errors import HloctsError


def missing(*libraries):
    """Returns the reason why JAX or one of these plugins is missing, or ""."""
    try:
        importlib.import_module("jax")
        for library in libraries:
            jax_plugin.library(library)
    except ImportError:
        return "JAX is not installed"
    except HloctsError as problem:
        return str(problem)
    return ""


def environment(folder):
    """Returns environment variables with which JAX finds the package, because a package on
    PYTHONPATH has no entry points."""
    plugins = folder / "jax_plugins" / "hlocts"
    plugins.mkdir(parents=True)
    (plugins / "__init__.py").write_text("from hlocts.jax_plugin import initialize\n")
    source = pathlib.Path(jax_plugin.__file__).resolve().parents[1]
    path = f"{folder}:{source}:{os.environ.get('PYTHONPATH', '')}"
    return os.environ | {"HLOCTS": str(binary.find()), "PYTHONPATH": path}
