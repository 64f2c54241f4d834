// SPDX-License-Identifier: Apache-2.0
// The location of this program's data: suites/, spec/clauses, backends/engines.textproto. No path
// is compiled in, so that an installation can be moved.
#ifndef HLOCTS_SPEC_FILES_HOME_FOLDER_H_
#define HLOCTS_SPEC_FILES_HOME_FOLDER_H_

#include <string>

namespace hlocts {

// $HLOCTS_HOME; else, going up from the program's folder, the first of DIR/share/hlocts
// (installed), DIR itself (a build folder inside the source tree), and what DIR/hlocts.home names
// (any other build folder; CMake writes it), that holds suites/cases. "." where none does.
std::string HomeFolder();

// The path of this program; "hlocts" if the system does not report it.
std::string ProgramPath();
// The program name as this process was called, for command lines that users copy.
std::string ProgramAsCalled();

}  // namespace hlocts

#endif  // HLOCTS_SPEC_FILES_HOME_FOLDER_H_
