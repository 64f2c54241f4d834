// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/emit.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/engine/cuda/compile/emit_program.h"

namespace hlocts::cuda {
namespace {

constexpr int kLoopNeighbours = 8;
struct KernelText {
  const char* args;
  const char* call;
};
constexpr KernelText kTexts[] = {
#define HL_TEXT(Name, Args, call) {#Args, #call},
    HL_PROGRAM_KERNELS(HL_TEXT) HL_BLOCK_KERNELS(HL_TEXT)
#undef HL_TEXT
};

// What device/used.h wants to know of a kernel, before all else in its text.
constexpr char kListBegin[] = "#define HL_";
class Used {
 public:
  void Add(absl::Span<const hl::Instr> code) {
    for (const hl::Instr& n : code) {
      types_.insert({n.type, n.to});
      ops_.insert(n.op);
      maths_.insert(n.math);
      if (n.op == hl::kOpClamp) ops_.insert({hl::kOpMaximum, hl::kOpMinimum});
    }
  }
  void AddTypes(absl::Span<const int> types) { types_.insert(types.begin(), types.end()); }
  std::string Text() const {
    return absl::StrCat(kListBegin, "TYPES ", absl::StrJoin(types_, ", "), "\n", kListBegin, "OPS ",
                        absl::StrJoin(ops_, ", "), "\n", kListBegin, "MATHS ",
                        absl::StrJoin(maths_, ", "), "\n");
  }

 private:
  std::set<int> types_ = {-1}, ops_ = {-1}, maths_ = {-1};  // no list is empty
};

// Where an element lies, as a member of Written.
std::string PlaceText(const char* name, const hl::View& view) {
  return absl::StrCat("  __device__ i64 ", name, "(const View&, i64 place) const {\n    const ",
                      view.narrow != 0 ? "u32 i = static_cast<u32>(place)" : "i64 i = place",
                      ";\n    return ", Offset(view), ";\n  }\n");
}

// The window's numbers as constants.
std::string WindowText(const hl::WindowShape& w) {
  std::string axes;
  for (int d = 0; d < w.rank; ++d) {
    const hl::WindowAxis& a = w.axes[d];
    absl::StrAppend(&axes, d > 0 ? ", {" : "{", Number(a.size), ", ", Number(a.stride), ", ",
                    Number(a.low), ", ", Number(a.window_dilation), ", ", Number(a.base_dilation),
                    ", ", Number(a.base), ", ", Number(a.base_stride), ", ", Number(a.positions),
                    "}");
  }
  return absl::StrCat("  __device__ WindowShape Window(const WindowShape&) const { return {",
                      w.rank, ", 0, {", axes, "}}; }\n");
}

// The k-th of these.
std::string Chosen(const std::vector<int>& numbers) {
  std::string text = absl::StrCat(numbers.back());
  for (size_t k = numbers.size() - 1; k-- > 0;) {
    text = absl::StrCat("k == ", k, " ? ", numbers[k], " : ", text);
  }
  return text;
}

// How many arrays, and of which types.
std::string TypesText(const std::vector<int>& types) {
  if (types.empty()) return "";
  return absl::StrCat("  __device__ int Arrays(int) const { return ", types.size(),
                      "; }\n  __device__ int ArrayType(const int*, int k) const { return ",
                      Chosen(types), "; }\n");
}

std::string KernelHead(hl::Kernel kernel) {
  return absl::StrCat("extern \"C\" __global__ void hl_kernel(const __grid_constant__ ",
                      kTexts[kernel].args, " a, i64 count) {\n  const Written f;\n");
}

// As many neighbours at a time as make 16 bytes of the result.
std::string LoopKernel(absl::Span<const hl::Instr> code, absl::Span<const hl::View> views) {
  int type = hl::kF32;
  for (const hl::Instr& n : code) {
    if (n.op == hl::kOpResult) type = n.to;
  }
  const int bytes = hl::BytesOf(type), many = std::clamp(16 / bytes, 1, kLoopNeighbours);
  const Packs packs(code, many);
  return absl::StrCat("struct Written {\n", packs.Text(),
                      FunctionText(kRun, code, views, "in", &packs), "};\n",
                      KernelHead(hl::kLoopKernel), "  LoopAll<", many, ", ", type, ", ", bytes,
                      ">(a, f, static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x,\n"
                      "          static_cast<i64>(gridDim.x) * blockDim.x, count);\n}\n");
}

// rows: of one value for each thread, which the kernel's phases exchange.
std::string BlockKernel(hl::Kernel kernel, int rows) {
  return absl::StrCat(KernelHead(kernel), "  __shared__ Value shared[", rows,
                      " * kBlockThreads];\n",
                      "  for (i64 block = blockIdx.x; block < count; block += gridDim.x) {\n"
                      "    for (int phase = 0; phase < a.phases; ++phase) {\n"
                      "      HL_THREADS(thread) { ",
                      kTexts[kernel].call,
                      "; }\n"
                      "      HL_BARRIER;\n    }\n  }\n}\n");
}

}  // namespace

std::string EmitKernel(hl::Kernel kernel, absl::Span<const hl::Instr> code,
                       absl::Span<const hl::View> views, const KernelFacts& facts) {
  Used used;
  used.Add(code);
  used.AddTypes(facts.types);
  if (kernel == hl::kLoopKernel) return absl::StrCat(used.Text(), LoopKernel(code, views));
  const std::string program = absl::StrCat(
      used.Text(), "struct Written {\n", FunctionText(kCall, code, views, "in"),
      TypesText(facts.types), facts.window != nullptr ? WindowText(*facts.window) : "", "};\n");
  if (kernel == hl::kScanBlockKernel) return absl::StrCat(program, BlockKernel(kernel, 2));
  return absl::StrCat(program, KernelHead(kernel),
                      "  const i64 step = static_cast<i64>(gridDim.x) * blockDim.x;\n"
                      "  for (i64 i = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; i < "
                      "count; i += step) {\n"
                      "    ",
                      kTexts[kernel].call, ";\n  }\n}\n");
}

std::string EmitReduce(const ReduceText& text) {
  const size_t places = text.init_types.size();
  Used used;
  for (const auto& code : {text.prologue, text.body, text.epilogue}) used.Add(code);
  used.AddTypes(text.init_types);
  used.AddTypes(text.out_types);
  return absl::StrCat(
      used.Text(), "struct Written {\n  __device__ int Places(int) const { return ", places,
      "; }\n", "  __device__ bool InitFirst(int) const { return ",
      text.init_first ? "true" : "false", "; }\n", "  __device__ int Outs(int) const { return ",
      text.out_types.size(), "; }\n",
      "  __device__ int InitType(const int*, int k) const { return ", Chosen(text.init_types),
      "; }\n", "  __device__ int OutType(const int*, int k) const { return ",
      Chosen(text.out_types), "; }\n", PlaceText("Kept", text.kept),
      PlaceText("Reduced", text.reduced), FunctionText(kTerms, text.prologue, text.views, "in"),
      FunctionText(kCall, text.body, {}, "in"),
      FunctionText(kFinish, text.epilogue, text.views, "in.values"), "};\n",
      BlockKernel(hl::kReduceBlockKernel, static_cast<int>(places)));
}

namespace {

// The functions of InterpretedPart.
std::string PartText(const RowText& part) {
  const Packs packs(part.terms, part.many);
  const char* is_reduce = part.is_reduce ? "true" : "false";
  const auto number = [](const char* name, int x) {
    return absl::StrCat("  __device__ int ", name, "() const { return ", x, "; }\n");
  };
  return absl::StrCat(
      "  static constexpr int kMany = ", part.many,
      ";\n  static constexpr bool kMayReduce = ", is_reduce, ", kMayLoop = !kMayReduce;\n",
      number("Many", part.many), number("Type", part.type), number("InitType", part.init_type),
      "  __device__ bool IsReduce() const { return ", is_reduce,
      "; }\n  __device__ void StoreGroup(void* out, i64 g, const Value* values) const {\n"
      "    StorePack<",
      part.many, ", ", part.type, ", ", hl::BytesOf(part.type), ">(out, g, values);\n  }\n",
      packs.Text(), FunctionText(kRowTerms, part.terms, part.views, "in", &packs),
      FunctionText(kCall, part.body, {}, "in"),
      FunctionText(kFinish, part.finish, part.views, "in.values"));
}

}  // namespace

std::string EmitRows(absl::Span<const RowText> parts) {
  std::string text, cases;
  Used used;
  for (size_t p = 0; p < parts.size(); ++p) {
    for (const auto& code : {parts[p].terms, parts[p].body, parts[p].finish}) used.Add(code);
    used.AddTypes({parts[p].type, parts[p].init_type});
    absl::StrAppend(&text, "struct Part", p, " {\n", PartText(parts[p]), "};\n");
    absl::StrAppend(&cases, "      case ", p, ": RowPartAt(a.part[", p, "], Part", p,
                    "(), a.columns, shared, row, phase, thread); break;\n");
  }
  return absl::StrCat(
      used.Text(), text,
      "struct Written {\n  __device__ void Do(const RowArgs& a, int p, Value* shared, "
      "i64 row, int phase, int thread) const {\n    switch (p) {\n",
      cases, "    }\n  }\n};\n", BlockKernel(hl::kRowBlockKernel, 1));
}

namespace {

// A third of a small kernel's compile time goes to headers: only those that it needs.
const char* HeaderOf(const std::string& kernel) {
  struct Row {
    const char *args, *header;
  };
  constexpr Row kHeaders[] = {{"__ LoopArgs a", "kernels.h"},
                              {"__ ReduceArgs a", "kernels.h"},
                              {"__ ReduceWindowArgs a", "kernels.h"},
                              {"__ SelectArgs a", "kernels.h"},
                              {"__ ReduceBlockArgs a", "block_reduce.h"},
                              {"__ RowArgs a", "block_rows.h"},
                              {"__ ScanArgs a", "block_scan.h"},
                              {"__ ScatterArgs a", "scatter.h"},
                              {"__ ScatterDirectArgs a", "scatter.h"},
                              {"__ SortArgs a", "sort.h"}};
  for (const Row& row : kHeaders) {
    if (absl::StrContains(kernel, row.args)) return row.header;
  }
  return "dispatch.h";
}

}  // namespace

std::string EmitSource(const std::string& kernel) {
  absl::string_view text = kernel;
  while (absl::StartsWith(text, kListBegin)) text.remove_prefix(text.find('\n') + 1);
  const std::string lists = kernel.substr(0, kernel.size() - text.size());
  return absl::StrCat(lists, "#include \"backends/engine/cuda/device/", HeaderOf(kernel),
                      "\"\nnamespace hl {\nnamespace part {\n", text, "}\n}\n");
}

}  // namespace hlocts::cuda
