// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

namespace hlocts {

// Returns the Python of the package hlocts if it started this program, else the first on PATH.
inline std::string PythonProgram() {
  return std::getenv("HLOCTS_PYTHON") == nullptr ? "python3" : std::getenv("HLOCTS_PYTHON");
}

// Returns the command, one argument per line, that runs a module of the Python package hlocts.
// Unlike `python3 -m`, it imports nothing from the working directory, which others may have
// written. Modules of the package use hlocts.binary.of_module instead.
inline std::string PythonModuleCommand(const std::string& name) {
  return PythonProgram() +
         "\n-c\nimport sys; sys.path[:] = filter(None, sys.path); import runpy; "
         "runpy.run_module('hlocts." +
         name + "', run_name='__main__', alter_sys=True)";
}

}  // namespace hlocts
