// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/emit_program.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace hlocts::cuda {

std::string Number(hl::i64 x) {
  return x == INT64_MIN ? "(-9223372036854775807ll - 1)" : absl::StrCat(x, "ll");
}

std::string Offset(const hl::View& view) {
  std::string text = Number(view.offset);
  const auto divisor = [&](hl::i64 x) { return view.narrow ? absl::StrCat(x, "u") : Number(x); };
  hl::i64 below = 1;
  for (int d = view.rank - 1; d >= 0; --d) {
    std::string index = below == 1 ? "i" : absl::StrCat("i / ", divisor(below));
    if (d > 0) index = absl::StrCat("(", index, ") % ", divisor(view.size[d]));
    if (view.stride[d] != 0) absl::StrAppend(&text, " + (", index, ") * ", Number(view.stride[d]));
    below *= view.size[d];
  }
  return text;
}

namespace {

// Returns true if every view has fewer than 2^31 elements. Indices then have 32 bits, and a
// division by a constant takes four instructions instead of about twenty.
bool AreNarrow(absl::Span<const hl::Instr> code, absl::Span<const hl::View> views) {
  return std::all_of(code.begin(), code.end(), [&](const hl::Instr& n) {
    const bool is_view = (n.op == hl::kOpLoad || n.op == hl::kOpLine) && n.b >= 0;
    return !is_view || views[n.b].narrow != 0;
  });
}

// Returns the expression of a load or parameter. Array `values` contains the parameters.
std::string Source(const hl::Instr& n, absl::Span<const hl::View> views, const char* values,
                   const Packs* packs) {
  if (n.op == hl::kOpParameter) return absl::StrCat(values, "[", n.a, "]");
  if (packs != nullptr && packs->Has(n)) {
    return absl::StrCat("Load(", n.to, ", l.", Packs::Name(n), ".words, k)");
  }
  if (n.op == hl::kOpPadded || n.op == hl::kOpGathered) {
    return absl::StrCat(n.op == hl::kOpPadded ? "LoadPadded(" : "LoadGathered(", n.to,
                        ", in.views + ", n.b, ", in.arrays[", n.a, "], in.arrays[", n.c,
                        "], in.index)");
  }
  const std::string at = n.b < 0 ? "in.index" : Offset(views[n.b]);
  if (n.op == hl::kOpLine) {
    return absl::StrCat("FromInteger(true, static_cast<u64>(", at, "), ", n.to, ")");
  }
  const char* open = n.b < 0 ? "Aligned(" : "(";
  return absl::StrCat("Load(", n.to, ", ", open, "in.arrays[", n.a, "]), ", at, ")");
}

std::string LiteralOf(const hl::Instr& n) {
  auto bits = [](hl::i64 x) { return absl::StrCat(static_cast<hl::u64>(x), "ull"); };
  if (n.to == hl::kC64 || n.to == hl::kC128) {
    const char* part = n.to == hl::kC64 ? "Widened(FloatOfBits(" : "(DoubleOfBits(";
    return absl::StrCat("OfComplex(", part, bits(n.imm[0]), ")), ", part, bits(n.imm[1]), ")))");
  }
  return absl::StrCat("FromBits(", n.to, ", ", bits(n.imm[0]), ")");
}

std::string Expression(const hl::Instr& n) {
  const std::string a = absl::StrCat("r", n.a), b = absl::StrCat("r", n.b),
                    c = absl::StrCat("r", n.c);
  switch (n.op) {
    case hl::kOpConvert:
      return absl::StrCat("Convert(", n.type, ", ", n.to, ", ", a, ")");
    case hl::kOpBitcastConvert:
      return absl::StrCat("BitcastConvert(", n.type, ", ", n.to, ", ", a, ")");
    case hl::kOpReducePrecision:
      return absl::StrCat("ReducePrecision(", n.type, ", ", a, ", ", n.imm[0], ", ", n.imm[1], ")");
    case hl::kOpComplex:
      return absl::StrCat("MakeComplex(", n.type, ", ", a, ", ", b, ")");
    case hl::kOpCompare:
      return absl::StrCat("OfBool(Compare(", n.imm[0], ", ", n.type, ", ", a, ", ", b, "))");
    case hl::kOpCompareTotal:
      return absl::StrCat("OfBool(CompareTotal(", n.imm[0], ", ", n.type, ", ", a, ", ", b, "))");
    case hl::kOpSelect:
      return absl::StrCat(a, ".u != 0 ? ", b, " : ", c);
    case hl::kOpClamp:
      return absl::StrCat("Clamp(", n.type, ", ", a, ", ", b, ", ", c, ")");
    default:
      break;
  }
  const std::string end = absl::StrCat(", ", n.math, ")");
  if (n.op >= hl::kOpAdd) return absl::StrCat("Binary(", n.op, ", ", n.type, ", ", a, ", ", b, end);
  return absl::StrCat("Unary(", n.op, ", ", n.type, ", ", n.to, ", ", a, end);
}

std::string Statement(const hl::Instr& n, absl::Span<const hl::View> views, const char* values,
                      const Packs* packs) {
  if (n.op == hl::kOpResult) return absl::StrCat("    results[", n.imm[0], "] = r", n.a, ";\n");
  const std::string value = n.op == hl::kOpConstant  ? LiteralOf(n)
                            : n.op < hl::kOpConstant ? Source(n, views, values, packs)
                                                     : Expression(n);
  return absl::StrCat("    r", n.dst, " = ", value, ";\n");
}

}  // namespace

std::string FunctionText(const char* head, absl::Span<const hl::Instr> code,
                         absl::Span<const hl::View> views, const char* values, const Packs* packs) {
  std::string body, registers;
  if (head != kCall) {
    absl::StrAppend(&registers, AreNarrow(code, views)
                                    ? "    const u32 i = static_cast<u32>(in.index);\n"
                                    : "    const i64 i = in.index;\n");
  }
  bool declared[hl::kRegistersMax] = {};
  for (const hl::Instr& n : code) {
    absl::StrAppend(&body, Statement(n, views, values, packs));
    if (n.op == hl::kOpResult || declared[n.dst]) continue;
    declared[n.dst] = true;
    absl::StrAppend(&registers, "    Value r", n.dst, ";\n");
  }
  return absl::StrCat("  __device__ ", head, registers, body, "  }\n");
}

}  // namespace hlocts::cuda
