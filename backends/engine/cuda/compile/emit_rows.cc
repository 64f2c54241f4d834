// SPDX-License-Identifier: Apache-2.0
// Emits kernels of rows (device/block_rows.h and device/block_held.h).
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "backends/engine/cuda/compile/emit.h"
#include "backends/engine/cuda/compile/emit_program.h"
#include "backends/engine/cuda/compile/emit_text.h"

namespace hlocts::cuda {
namespace {

// Returns the functions of a part with rows in registers. LoadHeld loads each row that no earlier
// part has loaded. StoreHeld stores the results.
std::string HeldPartText(const RowText& part, const Packs& packs, std::set<int>& loaded) {
  std::string text =
      "  template <class R> __device__ void LoadHeld(const void* const* arrays, i64 g, int u, R& "
      "held, Loaded& l) const {\n";
  for (const hl::Instr& n : packs.loads()) {
    const int place = part.holds[static_cast<size_t>(n.a)];
    const std::string at = place < 0 ? "" : absl::StrCat("held.h", place, "[u]");
    if (place < 0 || loaded.insert(place).second) {
      absl::StrAppend(&text, "    l.", Packs::Name(n), " = PackAt<Pack<", hl::BytesOf(n.to), ", ",
                      part.many, ">>(arrays[", n.a, "], g);\n");
      if (place >= 0) absl::StrAppend(&text, "    ", at, " = l.", Packs::Name(n), ";\n");
    } else {
      absl::StrAppend(&text, "    l.", Packs::Name(n), " = ", at, ";\n");
    }
  }
  if (part.makes >= 0) loaded.insert(part.makes);
  return absl::StrCat(
      text,
      "  }\n  template <class R> __device__ void StoreHeld(void* out, i64 g, int u, R& held, const "
      "Value* values) const {\n    const auto pack = PackOf<",
      part.many, ", ", part.type, ", ", hl::BytesOf(part.type), ">(values);\n",
      part.makes < 0 ? "" : absl::StrCat("    held.h", part.makes, "[u] = pack;\n"),
      part.stores ? absl::StrCat("    static_cast<Pack<", hl::BytesOf(part.type), ", ", part.many,
                                 ">*>(out)[g] = pack;\n")
                  : "",
      "  }\n");
}

// Returns the functions of an InterpretedPart. `loaded`, if not null, is passed to HeldPartText.
std::string PartText(const RowText& part, std::set<int>* loaded) {
  const Packs packs(part.terms, part.many);
  const char* is_reduce = part.is_reduce ? "true" : "false";
  const auto number = [](const char* name, int x) {
    return absl::StrCat("  __device__ int ", name, "() const { return ", x, "; }\n");
  };
  return absl::StrCat(
      "  static constexpr int kMaxNeighbours = ", part.many,
      ";\n  static constexpr bool kMayReduce = ", is_reduce, ", kMayLoop = !kMayReduce;\n",
      number("Many", part.many), number("Type", part.type), number("InitType", part.init_type),
      "  __device__ bool IsReduce() const { return ", is_reduce,
      "; }\n  __device__ void StoreGroup(void* out, i64 g, const Value* values) const {\n"
      "    StorePack<",
      part.many, ", ", part.type, ", ", hl::BytesOf(part.type), ">(out, g, values);\n  }\n",
      packs.Text(), loaded != nullptr && part.wide ? HeldPartText(part, packs, *loaded) : "",
      FunctionText(kRowTerms, part.terms, part.views, "in", &packs),
      FunctionText(kCall, part.body, {}, "in"),
      FunctionText(kFinish, part.finish, part.views, "in.values"));
}

// Returns a kernel that executes the parts in phases.
std::string PhasesText(size_t parts) {
  std::string cases;
  for (size_t p = 0; p < parts; ++p) {
    absl::StrAppend(&cases, "      case ", p, ": RowPartAt(a.part[", p, "], Part", p,
                    "(), a.columns, shared, row, phase, thread); break;\n");
  }
  return absl::StrCat(
      "struct Written {\n  __device__ void Do(const RowArgs& a, int p, Value* shared, "
      "i64 row, int phase, int thread) const {\n    switch (p) {\n",
      cases, "    }\n  }\n};\n", BlockKernel(hl::kRowBlockKernel, 1));
}

// Returns a call that every thread makes. A barrier follows it if `barrier`.
std::string ThreadsText(const std::string& call, bool barrier) {
  return absl::StrCat("    HL_THREADS(thread) { ", call, "; }\n",
                      barrier ? "    HL_BARRIER;\n" : "");
}

std::string HeldCalls(const RowText& part, size_t p) {
  const std::string head = absl::StrCat("(a.part[", p, "], Part", p, "(), ");
  if (!part.wide) return ThreadsText(absl::StrCat("RowLoop", head, "row, thread)"), true);
  if (part.is_reduce) {
    return absl::StrCat(
        ThreadsText(absl::StrCat("HeldFold<Shape>", head,
                                 "shared, row, thread, HL_THREAD_REGISTERS(held))"),
                    true),
        ThreadsText(absl::StrCat("HeldTotal<Shape>", head, "shared, row, thread)"), true));
  }
  return ThreadsText(
      absl::StrCat("HeldLoop<Shape>", head, "row, thread, HL_THREAD_REGISTERS(held))"),
      part.read_back);
}

// Returns the declarations of a thread's register arrays.
std::string HeldMembers(absl::Span<const RowText> parts) {
  std::map<int, std::string> members;
  for (const RowText& part : parts) {
    const auto add = [&](int place, int type) {
      members[place] = absl::StrCat("  Pack<", hl::BytesOf(type), ", ", part.many, "> h", place,
                                    "[Shape::kHeld];\n");
    };
    for (const hl::Instr& n : part.terms) {
      if (part.wide && n.op == hl::kOpLoad && n.b < 0) add(part.holds[n.a], n.to);
    }
    add(part.makes, part.type);
  }
  members.erase(-1);
  std::string text;
  for (const auto& [place, member] : members) text += member;
  return text;
}

// Emits the parts as straight-line code, because a register array must not be indexed at run time.
std::string HeldText(absl::Span<const RowText> parts, int64_t columns) {
  std::string calls;
  int many = 1;
  for (size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].wide) many = parts[p].many;
    calls += HeldCalls(parts[p], p);
  }
  return absl::StrCat("using Shape = HeldShape<", columns, ", ", many, ">;\nstruct Row {\n",
                      HeldMembers(parts), "};\n", KernelHead(hl::kRowBlockKernel, ""),
                      "  __shared__ Value shared[kBlockThreads];\n"
                      "  for (i64 row = blockIdx.x; row < count; row += gridDim.x) {\n"
                      "    HL_ROW_REGISTERS(Row, held);\n",
                      calls, "  }\n}\n");
}

}  // namespace

std::string EmitRows(absl::Span<const RowText> parts, int64_t columns) {
  std::string text;
  Used used;
  std::set<int> loaded;
  for (size_t p = 0; p < parts.size(); ++p) {
    for (const auto& code : {parts[p].terms, parts[p].body, parts[p].finish}) used.Add(code);
    used.AddTypes({parts[p].type, parts[p].init_type});
    absl::StrAppend(&text, "struct Part", p, " {\n",
                    PartText(parts[p], columns > 0 ? &loaded : nullptr), "};\n");
  }
  return absl::StrCat(used.Text(), text,
                      columns > 0 ? HeldText(parts, columns) : PhasesText(parts.size()));
}

}  // namespace hlocts::cuda
