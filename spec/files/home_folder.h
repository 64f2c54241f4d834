// SPDX-License-Identifier: Apache-2.0
// Locates this program's data: suites/, spec/clauses, backends/engines.textproto. No path is
// compiled in, so that an installation can be moved.
#pragma once

#include <string>

namespace hlocts {

// Returns $HLOCTS_HOME if it is set. Otherwise tries each DIR from the program's directory upwards
// and returns the first directory with suites/cases among DIR/share/hlocts (installed), DIR itself
// (a build directory inside the source tree), and the content of DIR/hlocts.home (any other build
// directory; CMake writes the file). Returns "." if there is none.
std::string HomeFolder();

// Returns the path of this program, or "hlocts" if the system does not report it.
std::string ProgramPath();
// Returns the program name as this process was called, for command lines that users copy. Returns
// the path if a shell would not find this program by that name.
std::string ProgramAsCalled();

}  // namespace hlocts
