// SPDX-License-Identifier: Apache-2.0
// Prints the result of MeasureDigits for a terminal, as JSON and as a picture.
#pragma once

#include <string>
#include <vector>

#include "spec/ir/module_fwd.h"
#include "tools/digits/measure.h"

namespace hlocts::tools {

// An instruction that a compiled module computes at a width that differs from the one in the text.
struct OtherWidth {
  std::string instruction, written, compiled;  // its name and both types
  bool wider = false;
};
// Finds instructions of `written` with another width in the other module. Instructions match by
// opcode and by the metadata's op_name, which compilers keep, or otherwise by name.
std::vector<OtherWidth> OtherWidths(const Module& written, const Module& compiled);

// The result as text. `rows` is the maximum number of instructions; 0 for all.
std::string DigitsText(const Module& module, const Digits& digits,
                       const std::vector<OtherWidth>& widths, int64_t rows);
std::string DigitsJson(const Module& module, const std::string& name, const Digits& digits,
                       const std::vector<OtherWidth>& widths);
// Returns an SVG image that shows the correct bits of each instruction as bars (see Loss).
std::string DigitsPicture(const Module& module, const Digits& digits, int64_t rows);

}  // namespace hlocts::tools
