// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

namespace hlocts {

// Returns the Python of the package hlocts if it started this program, else `otherwise`.
inline std::string PythonProgram(const char* otherwise = "python3") {
  const char* own = std::getenv("HLOCTS_PYTHON");
  return own == nullptr ? otherwise : own;
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
