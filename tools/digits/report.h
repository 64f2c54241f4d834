// SPDX-License-Identifier: Apache-2.0
// The result of MeasureDigits for a terminal, as JSON and as a picture.
#ifndef HLOCTS_TOOLS_DIGITS_REPORT_H_
#define HLOCTS_TOOLS_DIGITS_REPORT_H_

#include <string>
#include <vector>

#include "spec/ir/module_fwd.h"
#include "tools/digits/measure.h"

namespace hlocts::tools {

// An instruction that a compiled module computes at another width than the text says.
struct OtherWidth {
  std::string instruction, written, compiled;  // names, types
  bool wider = false;
};
// Matches by opcode and op_name of the metadata, which compilers keep; else by name.
std::vector<OtherWidth> OtherWidths(const Module& written, const Module& compiled);

// `rows`: the largest number of instructions; 0: all.
std::string DigitsText(const Module& module, const Digits& digits,
                       const std::vector<OtherWidth>& widths, int64_t rows);
std::string DigitsJson(const Module& module, const std::string& name, const Digits& digits,
                       const std::vector<OtherWidth>& widths);
// An SVG image: a bar of bits for each instruction, made, carried and reaching the outputs.
std::string DigitsPicture(const Module& module, const Digits& digits, int64_t rows);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_DIGITS_REPORT_H_
