// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts digits`: finds the instructions at which a module loses digits.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/differ/failure_details.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/file_io.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/opcode.h"
#include "tools/cli/common.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/limits.h"
#include "tools/cli/story.h"
#include "tools/cli/terminal.h"
#include "tools/commands.h"
#include "tools/digits/measure.h"

namespace hlocts::tools {
namespace {

// Prints the result of MeasureDigits: for a terminal, as JSON, and as a picture.

// An instruction whose type has another width in the compiled module than in the text.
struct OtherWidth {
  std::string instruction, written, compiled;  // the name and both types
  bool wider = false;
};

using Json = nlohmann::ordered_json;

// Returns the number of correct bits for a relative error: 24 for 2^-24, 53 for no error.
double BitsOf(double error) {
  return error <= 0 ? 53 : std::clamp(0.0 - std::log2(error), 0.0, 53.0);
}

std::string BitsText(double error) {
  return error < 0    ? "-"
         : error == 0 ? "exact"
                      : absl::StrFormat("%.0f", std::floor(BitsOf(error)));
}

double ReachOf(const Loss& loss) {
  return loss.reaches.empty() ? -1 : std::max(0.0, *absl::c_max_element(loss.reaches));
}

std::string ElementName(const Instruction& instruction, int64_t element) {
  if (instruction.shape().rank() == 0) return instruction.name();
  return absl::StrCat(instruction.name(), "[",
                      absl::StrJoin(MultiIndex(element, instruction.shape().dimensions()), ","),
                      "]");
}

std::vector<const Loss*> Shown(const Digits& digits, int64_t rows) {
  std::vector<const Loss*> shown;
  for (const Loss& loss : digits.losses) {
    if (loss.runs == 0 || (rows > 0 && static_cast<int64_t>(shown.size()) >= rows)) continue;
    shown.push_back(&loss);
  }
  return shown;
}

std::string FirstText(const NotFinite& first) {
  if (first.instruction == nullptr) return "";
  std::string text =
      absl::StrCat("first ", first.value, ": ", ElementName(*first.instruction, first.element),
                   " = ", OpcodeName(first.instruction->opcode()), "(", first.operands, ")");
  if (first.run > 0) absl::StrAppend(&text, ", run ", first.run + 1);
  if (first.rounding) absl::StrAppend(&text, "; without rounding the value is finite");
  if (!first.engines.empty())
    absl::StrAppend(&text, "; by the acceptance set an engine ", first.engines, " return it");
  return text;
}

std::string KeyOf(const Instruction& instruction) {
  const OpMetadata* metadata = instruction.Get<OpMetadata>(Attr::kMetadata);
  const bool has_name = metadata != nullptr && !metadata->op_name.empty();
  return absl::StrCat(OpcodeName(instruction.opcode()), " ",
                      has_name ? metadata->op_name : instruction.name());
}

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
}

// Finds instructions of `written` whose width differs in `compiled`. Two instructions correspond if
// they have the same opcode and, in their metadata, the same op_name, which compilers preserve. If
// they have no op_name, they correspond if they have the same name.
std::vector<OtherWidth> OtherWidths(const Module& written, const Module& compiled) {
  std::map<std::string, std::set<PrimitiveType>> types;
  for (const auto& computation : compiled.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->shape().IsArray())
        types[KeyOf(*instruction)].insert(instruction->shape().element_type());
    }
  }
  std::vector<OtherWidth> found;
  for (const auto& computation : written.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const PrimitiveType type = instruction->shape().element_type();
      const bool plain = instruction->shape().IsArray() && IsFloat(ComponentType(type)) &&
                         !instruction->IsParameter() && !instruction->IsConstant();
      const auto at = types.find(KeyOf(*instruction));
      if (!plain || at == types.end() || at->second.contains(type)) continue;
      const PrimitiveType other = *at->second.begin();
      found.push_back({instruction->name(), std::string(PrimitiveTypeName(type)),
                       std::string(PrimitiveTypeName(other)), BitWidth(other) > BitWidth(type)});
    }
  }
  return found;
}

std::string OutputsText(const Digits& digits) {
  std::string text;
  for (size_t i = 0; i < digits.outputs.size(); ++i) {
    if (digits.precisions[i] == 0) continue;
    // If most elements are exact, the mean error can be below half an ulp, so it is raised.
    const double least = std::ldexp(1.0, -digits.precisions[i]);
    const auto bits = [&](double error) {
      return BitsText(error < 0 ? error : std::max(error, least));
    };
    if (digits.outputs[i] == 0 && digits.finite[i] == 0 && digits.not_finite[i] > 0) {
      absl::StrAppend(&text, "output ", i, ": all of its ", digits.not_finite[i],
                      " numbers are infinite or NaN; there is no finite number to measure\n");
      continue;
    }
    absl::StrAppendFormat(&text, "output %d: %s of %d bits are correct", i, bits(digits.outputs[i]),
                          digits.precisions[i]);
    if (digits.worst[i] != digits.median[i])
      absl::StrAppendFormat(&text, " (by the mean relative error; worst element %s, median %s)",
                            bits(digits.worst[i]), bits(digits.median[i]));
    if (digits.not_finite[i] > 0)
      absl::StrAppend(&text, ", ", digits.not_finite[i], " of its numbers are infinite or NaN");
    text += "\n";
  }
  return text.empty() ? "no output has numbers of a floating-point type\n" : text;
}

// Returns the result as text. `rows` is the maximum number of instructions; 0 means all.
std::string DigitsText(const Module& module, const Digits& digits,
                       const std::vector<OtherWidth>& widths, int64_t rows) {
  std::string text = OutputsText(digits);
  const std::string first = FirstText(digits.first);
  if (!first.empty()) absl::StrAppend(&text, first, "\n");
  const std::vector<const Loss*> shown = Shown(digits, rows);
  if (!shown.empty()) {
    absl::StrAppend(
        &text,
        "correct bits after each instruction, measured against f64 (*: modelled, for sums and "
        "LAPACK); the most costly is first\n  lost   made  carried  output  cancelled  bound  "
        "instruction\n");
  }
  for (const Loss* loss : shown) {
    const Instruction& instruction = *loss->instruction;
    const std::string source = backends::SourceOf(module, instruction.name());
    absl::StrAppendFormat(
        &text, " %5.0f  %5s%s %7s %7s %10.0f %6s  %s = %s %s%s\n", std::max(0.0, loss->lost),
        BitsText(loss->made), loss->modelled ? "*" : " ", BitsText(loss->carried),
        BitsText(ReachOf(*loss)), loss->cancelled, BitsText(loss->bound), instruction.name(),
        instruction.shape().ToString(false), OpcodeName(instruction.opcode()),
        source.empty() ? "" : absl::StrCat("  ", source));
  }
  if (const size_t all = Shown(digits, 0).size(); all > shown.size())
    absl::StrAppend(&text, all - shown.size(), " more instructions (",
                    AdviceText("--rows=0 prints all"), ")\n");
  if (digits.left_out > 0)
    absl::StrAppend(&text, digits.left_out,
                    " instructions were not run separately (--evaluations, --timeout)\n");
  if (!digits.bounded)
    absl::StrAppend(&text, "bounds of the acceptance sets: not computed for so many elements\n");
  if (!widths.empty()) {
    absl::StrAppend(&text, "in the compiled form ", widths.size(),
                    " instructions run at another width than written:\n");
    for (const OtherWidth& one : widths)
      absl::StrAppend(&text, "  ", one.instruction, ": ", one.written, " as ", one.compiled,
                      one.wider ? " (wider)\n" : " (narrower)\n");
  }
  return text;
}

std::string DigitsJson(const Module& module, const std::string& name, const Digits& digits,
                       const std::vector<OtherWidth>& widths) {
  Json json = {{"module", name}, {"outputs", Json::array()}, {"instructions", Json::array()}};
  for (size_t i = 0; i < digits.outputs.size(); ++i) {
    json["outputs"].push_back({{"output", i},
                               {"error", digits.outputs[i]},
                               {"worst", digits.worst[i]},
                               {"median", digits.median[i]},
                               {"precision", digits.precisions[i]}});
  }
  for (const Loss* loss : Shown(digits, 0)) {
    Json row = {{"instruction", loss->instruction->name()},
                {"operation", OpcodeName(loss->instruction->opcode())},
                {"source", backends::SourceOf(module, loss->instruction->name())},
                {"runs", loss->runs},
                {"made", loss->made},
                {"carried", loss->carried},
                {"operands", loss->operands},
                {"lost_bits", loss->lost},
                {"reaches", loss->reaches},
                {"cancelled_bits", loss->cancelled},
                {"label", loss->modelled ? "modelled" : "measured"}};
    if (loss->bound >= 0) row["bound"] = loss->bound;
    json["instructions"].push_back(std::move(row));
  }
  if (digits.first.instruction != nullptr) {
    json["first_not_finite"] = {
        {"instruction", digits.first.instruction->name()},
        {"element", digits.first.element},
        {"value", digits.first.value},
        {"operands", digits.first.operands},
        {"engines", digits.first.engines},
        {"rounding", digits.first.rounding},
        {"source", backends::SourceOf(module, digits.first.instruction->name())}};
  }
  json["other_widths"] = Json::array();
  for (const OtherWidth& one : widths) {
    json["other_widths"].push_back({{"instruction", one.instruction},
                                    {"written", one.written},
                                    {"compiled", one.compiled},
                                    {"wider", one.wider}});
  }
  json["left_out"] = digits.left_out;
  json["seconds"] = digits.seconds;
  json["evaluation_seconds"] = digits.evaluation_seconds;
  return JsonText(json);
}

// Returns an SVG image that shows the correct bits of each instruction as bars (see Loss).
std::string DigitsPicture(const Module& module, const Digits& digits, int64_t rows) {
  constexpr int kRow = 34, kLeft = 330, kBit = 8, kTop = 40;
  const std::vector<const Loss*> shown = Shown(digits, rows);
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
      "fill=\"white\"/>\n<text x=\"10\" y=\"20\">Correct bits: <tspan "
      "fill=\"#4477aa\">carried</tspan>, <tspan fill=\"#228833\">made</tspan>, <tspan "
      "fill=\"#cc3311\">at the outputs, if only it rounds</tspan></text>\n",
      kLeft + 53 * kBit + 60, kTop + static_cast<int>(shown.size()) * kRow + 10);
  for (size_t i = 0; i < shown.size(); ++i) {
    const Loss& loss = *shown[i];
    const int y = kTop + static_cast<int>(i) * kRow;
    const std::string source = backends::SourceOf(module, loss.instruction->name());
    absl::StrAppendFormat(&svg, "<text x=\"10\" y=\"%d\">%s</text>\n", y + 11,
                          Escaped(absl::StrCat(loss.instruction->name(), " ",
                                               OpcodeName(loss.instruction->opcode()))));
    absl::StrAppendFormat(
        &svg, "<text x=\"10\" y=\"%d\" fill=\"#777777\" font-size=\"10\">%s</text>\n", y + 24,
        Escaped(source.substr(source.size() > 50 ? source.size() - 50 : 0)));
    const std::pair<double, const char*> bars[] = {
        {loss.carried, "#4477aa"}, {loss.made, "#228833"}, {ReachOf(loss), "#cc3311"}};
    int at = y;
    for (const auto& [error, colour] : bars) {
      if (error >= 0) {
        absl::StrAppendFormat(&svg,
                              "<rect x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"8\" fill=\"%s\"/>\n",
                              kLeft, at, std::max(1.0, BitsOf(error) * kBit), colour);
        absl::StrAppendFormat(&svg, "<text x=\"%.0f\" y=\"%d\" font-size=\"9\">%s</text>\n",
                              kLeft + BitsOf(error) * kBit + 4, at + 8, BitsText(error));
      }
      at += 10;
    }
  }
  return absl::StrCat(svg, "</svg>\n");
}

struct DigitsFlags {
  CommonOptions common;
  std::string module, inputs, compiled, picture;
  std::optional<uint64_t> seed;
  int64_t rows = 12, evaluations = 80;
};

absl::Status ShowDigits(const DigitsFlags& flags) {
  if (flags.module.empty()) return InvalidInput("digits: expected a module");
  LimitTime();
  const HardLimit::Clock::time_point deadline = HardDeadline(flags.common);
  const HardLimit limit(deadline);
  HLOCTS_ASSIGN_OR_RETURN(Job job, LoadJob(flags.module, flags.inputs, flags.seed, flags.common));
  if (job.request.arguments.size() != 1)
    return InvalidInput(
        "digits: expected a module for one device: measure the function that one device computes "
        "(the body of a shard_map) on the tile of one device or, if the body has collectives over "
        "an axis i, jax.vmap(body, axis_name='i') on all tiles");
  std::vector<OtherWidth> widths;
  if (!flags.compiled.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(const LoadedModule compiled, OpenModule(flags.compiled));
    widths = OtherWidths(*job.module, *compiled.module);
  }
  DigitsOptions options{flags.common};
  options.evaluations_max = static_cast<double>(flags.evaluations);
  options.stop = Interrupted;
  options.deadline = deadline;
  StatusLine line;
  options.progress = [&](int64_t done, int64_t all) {
    line.Show(absl::StrCat(done, " of ", all, " instructions run separately"));
  };
  CatchInterrupts();
  auto digits = MeasureDigits(*job.module, job.request.arguments[0], options);
  line.Clear();
  HLOCTS_RETURN_IF_ERROR(digits.status());
  if (flags.common.json) {
    std::cout << DigitsJson(*job.module, job.module_name, *digits, widths) << std::endl;
  } else {
    std::cout << DigitsText(*job.module, *digits, widths, flags.rows) << std::flush;
  }
  if (flags.picture.empty()) return absl::OkStatus();
  return WriteFile(flags.picture, DigitsPicture(*job.module, *digits, flags.rows));
}

}  // namespace

Command DigitsCommand() {
  return {"digits", "find the instructions at which a module loses precision", [](Flags& flags) {
            auto options = std::make_shared<DigitsFlags>();
            flags.Positional("MODULE", &options->module,
                             "file, case address, bundle or case directory (hlocts help modules)");
            options->common.DeclareInputs(flags, &options->inputs, &options->seed);
            flags.Add("--compiled", &options->compiled,
                      "optimized module of an engine; instructions that it runs at another "
                      "precision are listed");
            flags.Add("--picture", &options->picture, "file for an SVG image");
            flags.Add("--rows", &options->rows, "number of instructions printed (0: all)", {0});
            flags.Add("--evaluations", &options->evaluations,
                      "time limit, as a multiple of the time of one evaluation of the module", {1});
            options->common.Declare(flags, /*with_batch=*/false);
            return [options] {
              const absl::Status status = ShowDigits(*options);
              return status.ok() ? kExitOk : Fail(status);
            };
          }};
}

}  // namespace hlocts::tools
