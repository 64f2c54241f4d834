// SPDX-License-Identifier: Apache-2.0
// Locates this program's data: suites/, spec/clauses, backends/engines.textproto. No path is
// compiled in, so an installation can be moved.
#pragma once

#include <string>

namespace hlocts {

// Returns $HLOCTS_HOME if it is set. Otherwise searches the program's directory and each directory
// DIR above it, in the order DIR/share/hlocts (an installation), DIR itself (a build directory
// inside the source tree), and the path in the file DIR/hlocts.home, which CMake writes (any other
// build directory). Returns the first of these that has suites/cases, or "." if there is none.
std::string HomeFolder();
// Returns true if HomeFolder belongs to an installation, which has no sources to build.
bool IsInstalled();

// Returns the path of this program, or "hlocts" if the system does not report it.
std::string ProgramPath();
// Returns the program name with which the user called this process, for command lines that users
// copy. Returns the path instead if a shell would not find this program by that name.
std::string ProgramAsCalled();

}  // namespace hlocts
