// SPDX-License-Identifier: Apache-2.0
// Where the data of this program lie: suites/, spec/clauses, backends/engines.textproto. No path is
// compiled in: what is installed may be moved.
#ifndef HLOCTS_SPEC_FILES_HOME_FOLDER_H_
#define HLOCTS_SPEC_FILES_HOME_FOLDER_H_

#include <string>

namespace hlocts {

// $HLOCTS_HOME; else, going up from the program's folder, the first of DIR/share/hlocts
// (installed), DIR itself (a build folder inside the source tree), and what DIR/hlocts.home names
// (any other build folder; CMake writes it), that holds suites/cases. "." where none does.
std::string HomeFolder();

// The path of this program; "hlocts" where the system does not tell.
std::string ProgramPath();
// The program as this process was called, for a command line that a person copies.
std::string ProgramAsCalled();

}  // namespace hlocts

#endif  // HLOCTS_SPEC_FILES_HOME_FOLDER_H_
