// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/op_modules.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::tools {
namespace {

struct OpRow {
  const char *group, *types, *opcodes, *parameters, *instructions;
  int steps = 0;  // of a loop
};
constexpr OpRow kOpRows[] = {
#define OP_ROW(...) {__VA_ARGS__},
#define OP_LOOP(...) {__VA_ARGS__},
#include "tools/bench/op_table.def"
#undef OP_LOOP
#undef OP_ROW
};

using Texts = std::vector<std::string>;

std::string NeutralOf(const std::string& type, const std::string& opcode) {
  if (type == "pred") return opcode == "and" ? "true" : "false";
  if (opcode == "multiply") return "1";
  const PrimitiveType element = PrimitiveTypeFromName(type).value_or(PrimitiveType::kInvalid);
  if (opcode == "maximum" && IsFloat(element)) return "-inf";
  return "0";
}

// What to_apply=, select= and scatter= name in `body`.
std::string CalledComputations(const std::string& body) {
  std::set<std::string> names;
  for (const char* attribute : {"to_apply=", "select=", "scatter="}) {
    const size_t at = body.find(attribute);
    if (at == std::string::npos) continue;
    const size_t begin = at + std::string(attribute).size();
    names.insert(body.substr(begin, body.find_first_of(",\n", begin) - begin));
  }
  std::string text;
  for (const std::string& name : names) {
    const bool compares = name == "ge" || name == "lt";
    absl::StrAppend(
        &text, name, " {\n a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = ",
        compares ? absl::StrCat("pred[] compare(a, b), direction=", name == "ge" ? "GE" : "LT")
                 : absl::StrCat("T[] ", name, "(a, b)"),
        "\n}\n");
  }
  return text;
}

std::string PlainModule(const OpRow& row) {
  const Texts parameters = absl::StrSplit(row.parameters, ';');
  Texts lines = absl::StrSplit(row.instructions, ';');
  lines.back() = "ROOT r = " + lines.back();
  std::string text = "ENTRY main {\n";
  for (size_t i = 0; i < parameters.size(); ++i) {
    absl::StrAppend(&text, " p", i, " = ", parameters[i], " parameter(", i, ")\n");
  }
  return absl::StrCat(text, " ", absl::StrJoin(lines, "\n "), "\n}\n");
}

// Carried: the number of the step i, and the parameters x, h and o; a step makes n, the next h, and
// u, the next o. z is 0.
std::string LoopModule(const OpRow& row) {
  const Texts p = absl::StrSplit(row.parameters, ';');
  const std::string tuple = absl::StrCat("(s32[], ", absl::StrJoin(p, ", "), ")");
  const std::string body = absl::StrReplaceAll(row.instructions, {{";", "\n "}});
  const std::string head =
      absl::StrCat(" t = ", tuple, " parameter(0)\n i = s32[] get-tuple-element(t), index=0\n");
  std::string text = absl::StrCat("body {\n", head);
  const char* const names[] = {"x", "h", "o"};
  for (size_t k = 0; k < 3; ++k) {
    absl::StrAppend(&text, " ", names[k], " = ", p[k], " get-tuple-element(t), index=", k + 1,
                    "\n");
  }
  absl::StrAppend(&text, " z = s32[] constant(0)\n ", body,
                  "\n one = s32[] constant(1)\n j = s32[] add(i, one)\n ROOT next = ", tuple,
                  " tuple(j, x, n, u)\n}\ncond {\n", head, " last = s32[] constant(", row.steps,
                  ")\n ROOT c = pred[] compare(i, last), direction=LT\n}\nENTRY main {\n");
  for (size_t k = 0; k < 3; ++k) {
    absl::StrAppend(&text, " p", k, " = ", p[k], " parameter(", k, ")\n");
  }
  return absl::StrCat(text, " zero = s32[] constant(0)\n t = ", tuple,
                      " tuple(zero, p0, p1, p2)\n w = ", tuple,
                      " while(t), condition=cond, body=body\n ROOT r = ", p[2],
                      " get-tuple-element(w), index=3\n}\n");
}

OpModule MakeModule(const OpRow& row, const std::string& types, const std::string& opcode) {
  const std::pair<std::string, std::string> type = absl::StrSplit(types, absl::MaxSplits(':', 1));
  const std::string applied = absl::StrReplaceAll(row.instructions, {{"=OP", "=" + opcode}});
  const std::string body = row.steps > 0 ? LoopModule(row) : PlainModule(row);
  const std::string text =
      absl::StrReplaceAll(CalledComputations(applied) + body,
                          {{"T[", type.first + "["},
                           {"U[", type.second + "["},
                           {"M]", "1048576]"},
                           {"N,N]", "1024,1024]"},
                           {"OP(", opcode + "("},
                           {"=OP", "=" + opcode},
                           {"(Z)", absl::StrCat("(", NeutralOf(type.first, opcode), ")")}});
  std::string name = absl::StrCat(row.group, ".", absl::StrReplaceAll(types, {{":", "-"}}));
  if (opcode != row.group) absl::StrAppend(&name, ".", opcode);
  return {name, absl::StrCat("HloModule op\n", text)};
}

}  // namespace

std::vector<OpModule> OpModules() {
  std::vector<OpModule> modules;
  for (const OpRow& row : kOpRows) {
    for (const std::string& types : Texts(absl::StrSplit(row.types, ' '))) {
      for (const std::string& opcode : Texts(absl::StrSplit(row.opcodes, ' '))) {
        modules.push_back(MakeModule(row, types, opcode));
      }
    }
  }
  return modules;
}

}  // namespace hlocts::tools
