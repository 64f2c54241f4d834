// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/emit.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/engine/cuda/compile/emit_program.h"
#include "backends/engine/cuda/compile/emit_text.h"

namespace hlocts::cuda {
namespace {

constexpr int kLoopNeighbours = 8;
// Returns a member function of Written that computes the offset of an element in its array.
std::string PlaceText(const char* name, const hl::View& view) {
  return absl::StrCat("  __device__ i64 ", name, "(const View&, i64 place) const {\n    const ",
                      view.narrow != 0 ? "u32 i = static_cast<u32>(place)" : "i64 i = place",
                      ";\n    return ", Offset(view), ";\n  }\n");
}

// Returns a member function of Written that returns the window's attributes as constants.
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

// Returns an expression for element k of `numbers`.
std::string Chosen(const std::vector<int>& numbers) {
  std::string text = absl::StrCat(numbers.back());
  for (size_t k = numbers.size() - 1; k-- > 0;) {
    text = absl::StrCat("k == ", k, " ? ", numbers[k], " : ", text);
  }
  return text;
}

// Returns member functions of Written that return the number and the types of the arrays.
std::string TypesText(const std::vector<int>& types) {
  if (types.empty()) return "";
  return absl::StrCat("  __device__ int Arrays(int) const { return ", types.size(),
                      "; }\n  __device__ int ArrayType(const int*, int k) const { return ",
                      Chosen(types), "; }\n");
}

// Returns a loop in which a thread computes up to 16 bytes of adjacent results at a time.
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
                      CallText(kernel), ";\n  }\n}\n");
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

// Returns the only header that the kernel needs. Compiling all headers takes much longer.
const char* HeaderOf(const std::string& kernel) {
  struct Row {
    const char *args, *header;
  };
  constexpr Row kHeaders[] = {{"__ LoopArgs a", "kernels.h"},
                              {"__ ReduceArgs a", "kernels.h"},
                              {"__ ReduceWindowArgs a", "kernels.h"},
                              {"__ SelectArgs a", "kernels.h"},
                              {"__ ReduceBlockArgs a", "block_reduce.h"},
                              {"__ RowArgs a", "block_held.h"},
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
