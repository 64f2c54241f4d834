// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/compiled/meanings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "backends/adapters/compiled/library_meanings.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"
#include "spec/ops/groups.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

// Returns the lines of a computation on parameters p0, p1, .... The last line is the root `r`.
using Body = absl::StatusOr<std::string> (*)(const Instruction&);

absl::StatusOr<std::string> OperandItself(const Instruction& call) {
  return absl::StrCat("ROOT r = ", ShapeText(call.shape()), " copy(p0)");
}

// Returns an error for a complex matrix, which XLA:TPU passes as two arrays.
absl::Status ExpectOneMatrix(const Instruction& call) {
  return call.operand_count() == 1 && call.shape().IsArray()
             ? absl::OkStatus()
             : absl::UnimplementedError("complex matrices in two arrays are not supported");
}

absl::StatusOr<std::string> LowerCholesky(const Instruction& call) {
  HLOCTS_RETURN_IF_ERROR(ExpectOneMatrix(call));
  return absl::StrCat("ROOT r = ", ShapeText(call.shape()), " cholesky(p0), lower=true");
}

// Returns the inverses of a batch of triangular matrices, as solutions for the identity matrix.
absl::StatusOr<std::string> Inverse(const Instruction& call, absl::string_view lower) {
  HLOCTS_RETURN_IF_ERROR(ExpectOneMatrix(call));
  const Shape& shape = call.shape();
  const std::string text = ShapeText(shape);
  const std::string ids = ShapeText(Shape(PrimitiveType::kS32, shape.dimensions()));
  const std::string equal = ShapeText(Shape(PrimitiveType::kPred, shape.dimensions()));
  return absl::StrCat("i = ", ids, " iota(), iota_dimension=", shape.rank() - 2, "\n j = ", ids,
                      " iota(), iota_dimension=", shape.rank() - 1, "\n e = ", equal,
                      " compare(i, j), direction=EQ\n one = ", text,
                      " convert(e)\n ROOT r = ", text,
                      " triangular-solve(p0, one), left_side=true, ", "lower=", lower,
                      ", unit_diagonal=false, transpose_a=NO_TRANSPOSE");
}

absl::StatusOr<std::string> LowerInverse(const Instruction& call) { return Inverse(call, "true"); }
absl::StatusOr<std::string> UpperInverse(const Instruction& call) { return Inverse(call, "false"); }

absl::StatusOr<std::string> AnyContent(const Instruction& call) {
  if (!call.shape().IsArray()) return absl::UnimplementedError("tuples are not supported");
  return absl::StrCat(AnyContentText("c", call.shape()), "ROOT r = ", ShapeText(call.shape()),
                      " copy(c)");
}

// Returns HLO text that builds a bounded dynamic array from a full array, whose dimensions are the
// bounds, and its run-time sizes, a scalar s32 for each dimension.
absl::StatusOr<std::string> OfRunTimeSizes(const Instruction& call) {
  const Shape& result = call.shape();
  std::string text, array = "p0";
  Shape shape(result.element_type(), result.dimensions());
  if (call.operand_count() != result.rank() + 1)
    return absl::UnimplementedError("expected one size for each dimension");
  for (int64_t d = 0; d < result.rank(); ++d) {
    if (!result.is_dynamic_dimension(d)) continue;
    shape.set_dynamic_dimension(d, true);
    absl::StrAppend(&text, "d", d, " = ", ShapeText(shape), " set-dimension-size(", array, ", p",
                    d + 1, "), dimensions={", d, "}\n ");
    array = absl::StrCat("d", d);
  }
  return absl::StrCat(text, "ROOT r = ", ShapeText(result), " copy(", array, ")");
}

std::string ShapeOf(PrimitiveType type, const Shape& shape) {
  return ShapeText(Shape(type, shape.dimensions()));
}

// Splits a dynamic array into the full array, with any content in its padding, and its run-time
// sizes.
absl::StatusOr<std::string> SizesApart(const Instruction& call) {
  Shape shape = call.operand(0).shape();
  const Shape full(shape.element_type(), shape.dimensions());
  const std::string ids = ShapeOf(PrimitiveType::kS32, shape);
  std::string text = AnyContentText("any", full), selects, sizes, bounded = "p0", array;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    absl::StrAppend(&text, "n", d, " = s32[] get-dimension-size(p0), dimensions={", d, "}\n ");
    absl::StrAppend(&sizes, ", n", d);
    if (!shape.is_dynamic_dimension(d)) continue;
    shape.set_dynamic_dimension(d, false);
    absl::StrAppend(&text, "c", d, " = s32[] constant(", shape.dimension(d), ")\n b", d, " = ",
                    ShapeText(shape), " set-dimension-size(", bounded, ", c", d, "), dimensions={",
                    d, "}\n i", d, " = ", ids, " iota(), iota_dimension=", d, "\n w", d, " = ", ids,
                    " broadcast(n", d, "), dimensions={}\n m", d, " = ",
                    ShapeOf(PrimitiveType::kPred, shape), " compare(i", d, ", w", d,
                    "), direction=LT\n ");
    bounded = absl::StrCat("b", d);
    absl::StrAppend(&selects, "a", d, " = ", ShapeText(full), " select(m", d, ", ",
                    array.empty() ? "$" : array, ", any)\n ");
    array = absl::StrCat("a", d);
  }
  return absl::StrCat(text, absl::StrReplaceAll(selects, {{"$", bounded}}),
                      "ROOT r = ", ShapeText(call.shape()), " tuple(",
                      array.empty() ? bounded : array, sizes, ")");
}

// Returns an error unless the type is an integer. XLA:TPU represents a 64-bit integer by two 32-bit
// integers, the low half first, and an f64 by two f32. Such a pair of f32 cannot represent every
// f64, and no document bounds the error of functions on the pair.
absl::Status ExpectIntegers(const Shape& wide) {
  if (IsInteger(wide.element_type())) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(PrimitiveTypeName(wide.element_type()),
                                               " as a pair of narrower numbers is not supported"));
}

// Returns HLO text that defines an array `name` with `number` in every element.
std::string Filled(absl::string_view name, int64_t number, const Shape& shape) {
  return absl::StrCat(name, ".s = u64[] constant(", number, ")\n ", name, " = ",
                      ShapeOf(PrimitiveType::kU64, shape), " broadcast(", name,
                      ".s), dimensions={}\n ");
}

std::string Half(const Instruction& call, int64_t shift) {
  const std::string wide = ShapeOf(PrimitiveType::kU64, call.shape());
  return absl::StrCat(
      Filled("n", shift, call.shape()), "b = ", wide, " bitcast-convert(p0)\n s = ", wide,
      " shift-right-logical(b, n)\n ROOT r = ", ShapeText(call.shape()), " convert(s)");
}

bool IsPairOfF32(const Shape& shape) { return shape.element_type() == PrimitiveType::kC64; }

absl::StatusOr<std::string> LowHalf(const Instruction& call) {
  if (IsPairOfF32(call.operand(0).shape()))
    return absl::StrCat("ROOT r = ", ShapeText(call.shape()), " real(p0)");
  HLOCTS_RETURN_IF_ERROR(ExpectIntegers(call.operand(0).shape()));
  return Half(call, 0);
}
absl::StatusOr<std::string> HighHalf(const Instruction& call) {
  if (IsPairOfF32(call.operand(0).shape()))
    return absl::StrCat("ROOT r = ", ShapeText(call.shape()), " imag(p0)");
  HLOCTS_RETURN_IF_ERROR(ExpectIntegers(call.operand(0).shape()));
  return Half(call, 32);
}

absl::StatusOr<std::string> BothHalves(const Instruction& call) {
  if (IsPairOfF32(call.shape()))
    return absl::StrCat("ROOT r = ", ShapeText(call.shape()), " complex(p0, p1)");
  HLOCTS_RETURN_IF_ERROR(ExpectIntegers(call.shape()));
  const std::string wide = ShapeOf(PrimitiveType::kU64, call.shape());
  return absl::StrCat(Filled("n", 32, call.shape()), "l = ", wide, " convert(p0)\n h = ", wide,
                      " convert(p1)\n s = ", wide, " shift-left(h, n)\n o = ", wide,
                      " or(l, s)\n ROOT r = ", ShapeText(call.shape()), " bitcast-convert(o)");
}

// HLO text that computes `a`, the first k elements of each row of y in order, and `w`, their
// positions. Rows are along dimension $4, the last one. $0 and $1 are the shapes of y and of all
// positions in it, $2 and $3 those of a and w. $5 is k; $6 are slice ranges of k elements.
constexpr char kFirstInTotalOrder[] = R"(
 s = ($2, $3) topk(y), k=$5, largest=true
 a = $2 get-tuple-element(s), index=0
 w = $3 get-tuple-element(s), index=1)";
constexpr char kFirstByComparator[] = R"(
 i = $1 iota(), iota_dimension=$4
 s = ($0, $1) sort(y, i), dimensions={$4}, is_stable=true, to_apply=applied
 s.v = $0 get-tuple-element(s), index=0
 s.w = $1 get-tuple-element(s), index=1
 a = $2 slice(s.v), slice={$6}
 w = $3 slice(s.w), slice={$6})";

// Returns the first elements of each row and their positions. The call's comparator defines the
// order; without one, it is the total order, the largest first. XLA expands the call to a stable
// sort and two slices. If a call is not stable, equal elements may be in any order; this
// computation then returns the last of them first.
absl::StatusOr<std::string> FirstOfSorted(const Instruction& call) {
  const std::vector<Computation*> comparators = call.called_computations();
  const RawText* config = call.Get<RawText>(Attr::kBackendConfig);
  const absl::string_view options = config ? absl::string_view(config->text) : "";
  const Shape &x = call.operand(0).shape(), &result = call.shape();
  if (call.operand_count() != 1 || !result.IsTuple() || x.rank() == 0 ||
      result.tuple_shapes().size() < 2)
    return absl::UnimplementedError("expected one operand and two results");
  const bool total = comparators.empty() && absl::StrContains(options, "order = \"TOTAL\"");
  if (!total && (comparators.size() != 1 || comparators[0]->parameters().size() != 4))
    return absl::UnimplementedError("expected a comparator of two pairs or the total order");
  const std::vector<Shape>& parts = result.tuple_shapes();
  const std::string ids = ShapeOf(parts[1].element_type(), x);
  const int64_t last = x.rank() - 1;
  const bool stable = !absl::StrContains(options, "is_stable = false");
  std::string ranges;
  for (const int64_t size : parts[0].dimensions())
    absl::StrAppend(&ranges, ranges.empty() ? "" : ", ", "[0:", size, "]");
  std::string text = absl::Substitute(
      absl::StrCat("y = $0 reverse(p0), dimensions={$7}",
                   total ? kFirstInTotalOrder : kFirstByComparator,
                   "\n n.s = $8[] constant($9)\n n = $3 broadcast(n.s), dimensions={}\n "
                   "b = $3 subtract(n, w)\n "),
      ShapeText(x), ids, ShapeText(parts[0]), ShapeText(parts[1]), last, parts[0].dimension(last),
      ranges, stable ? "" : absl::StrCat(last), PrimitiveTypeName(parts[1].element_type()),
      x.dimension(last) - 1);
  return WithWorkspace(call, std::move(text), {"a", stable ? "w" : "b"});
}

// Returns the ranges of an operand that is a slice, possibly an asynchronous one, else nullptr.
const SliceRanges* SliceOf(const Instruction& operand) {
  const Instruction* piece = &operand;
  while (ops::IsAsyncStep(piece->opcode()) && piece->operand_count() > 0) {
    const Computation* wrapped = piece->CalledComputation(Attr::kCalls);
    piece = wrapped ? wrapped->root() : &piece->operand(0);
  }
  return piece->opcode() == Opcode::kSlice ? piece->Get<SliceRanges>(Attr::kSlice) : nullptr;
}

// Returns the array whose slices, in any order, are the operands of the call. Each slice is written
// back to its position. An element that is in no slice may have any content.
absl::StatusOr<std::string> OfItsSlices(const Instruction& call) {
  const Shape& whole = call.shape();
  if (!whole.IsArray()) return absl::UnimplementedError("tuples are not supported");
  std::string text = AnyContentText("a0", whole);
  const std::string shape = ShapeText(whole);
  for (int64_t i = 0; i < call.operand_count(); ++i) {
    const SliceRanges* slice = SliceOf(call.operand(i));
    if (!slice || call.operand(i).shape().element_type() != whole.element_type() ||
        static_cast<int64_t>(slice->dimensions.size()) != whole.rank())
      return absl::UnimplementedError("expected slices of one array as operands");
    std::string starts;
    for (int64_t d = 0; d < whole.rank(); ++d) {
      absl::StrAppend(&text, "s", i, ".", d, " = s64[] constant(", slice->dimensions[d].start,
                      ")\n ");
      absl::StrAppend(&starts, ", s", i, ".", d);
    }
    absl::StrAppend(&text, "a", i + 1, " = ", shape, " dynamic-update-slice(a", i, ", p", i, starts,
                    ")\n ");
  }
  return absl::StrCat(text, "ROOT r = ", shape, " copy(a", call.operand_count(), ")");
}

struct LibraryCallRow {
  absl::string_view target;
  Body body;
};
constexpr LibraryCallRow kLibraryCalls[] = {
    // Custom calls of XLA:TPU.
    {"AllocateBuffer", AnyContent},
    {"AssumeGatherIndicesInBound", OperandItself},
    {"Cholesky", LowerCholesky},
    {"ConcatBitcast", OfItsSlices},
    {"GetRngSeed", AnyContent},  // also of XLA:GPU; any seed is correct
    {"InvertDiagBlocksLowerTriangular", LowerInverse},
    {"InvertDiagBlocksUpperTriangular", UpperInverse},
    {"PadToStatic", SizesApart},
    {"SliceToDynamic", OfRunTimeSizes},
    {"TopK", FirstOfSorted},
    {"X64SplitLow", LowHalf},
    {"X64SplitHigh", HighHalf},
    {"X64Combine", BothHalves},
    // Custom calls of XLA:GPU.
    {"__cublas$gemm", MatrixProduct},
    {"__cublas$lt$matmul", MatrixProduct},
    {"__cublas$triangularSolve", TriangularSolve},
    {"__cudnn$convForward", Convolution},
    {"__cudnn$convBiasActivationForward", ConvolutionBiasActivation},
    {"__cudnn$convBackwardInput", ConvolutionOfInputGradient},
    {"__cudnn$convBackwardFilter", ConvolutionOfFilterGradient},
    {"__gpu$TopK", FirstOfSorted},
};

absl::StatusOr<std::unique_ptr<Module>> ComputationOf(const Instruction& call) {
  const std::string* target = call.Get<std::string>(Attr::kCustomCallTarget);
  const absl::string_view name = target ? absl::string_view(*target) : "";
  for (const LibraryCallRow& meaning : kLibraryCalls) {
    if (meaning.target != name) continue;
    const absl::StatusOr<std::string> body = meaning.body(call);
    if (!body.ok()) return Annotate(body.status(), absl::StrCat("custom-call ", name));
    // A body may refer to the called computation as `applied`; AddCopy replaces that placeholder.
    std::string text = "HloModule m\napplied { ROOT r = pred[] constant(true) }\nENTRY e {\n";
    for (int64_t i = 0; i < call.operand_count(); ++i) {
      absl::StrAppend(&text, " p", i, " = ", ShapeText(call.operand(i).shape()), " parameter(", i,
                      ")\n");
    }
    return ParseModule(absl::StrCat(text, " ", *body, "\n}"));
  }
  return absl::UnimplementedError(absl::StrCat("custom-call ", name, ": the target is not known"));
}

// Adds a copy of a computation. In the copy, each to_apply is the first computation that `call`
// calls.
Computation* AddCopy(const Computation& computation, const Instruction& call, Module& module) {
  const std::vector<Computation*> applied = call.called_computations();
  auto copy = std::make_unique<Computation>(absl::StrCat("meaning.", call.name()));
  std::map<const Instruction*, Instruction*> copies;
  for (const auto& instruction : computation.instructions()) {
    std::vector<Instruction*> operands;
    for (const Instruction* operand : instruction->operands()) operands.push_back(copies[operand]);
    copies[instruction.get()] = copy->Add(
        CopyOf(*instruction, absl::StrCat(copy->name(), ".", instruction->name()), operands));
    if (instruction->CalledComputation(Attr::kToApply))
      copies[instruction.get()]->Set(Attr::kToApply, applied[0]);
  }
  copy->set_root(copies[computation.root()]);
  return module.Add(std::move(copy));
}

// Data movements and reductions. In XLA:TPU's programs, these may also change the element type.
// Such an instruction is replaced by the operation in the type of its operands, and a convert.
constexpr Opcode kMoves[] = {Opcode::kAllReduce, Opcode::kBroadcast,    Opcode::kConcatenate,
                             Opcode::kCopy,      Opcode::kDynamicSlice, Opcode::kPad,
                             Opcode::kReduce,    Opcode::kReduceWindow, Opcode::kReshape,
                             Opcode::kReverse,   Opcode::kSelect,       Opcode::kSlice,
                             Opcode::kTranspose};

// Returns the shapes of the results of `move`, with the element types of its operands.
std::vector<Shape> InTypesOfOperands(const Instruction& move) {
  std::vector<Shape> parts =
      move.shape().IsTuple() ? move.shape().tuple_shapes() : std::vector<Shape>{move.shape()};
  const int64_t first = move.opcode() == Opcode::kSelect ? 1 : 0;  // after the predicate
  for (size_t i = 0; i < parts.size() && i + first < move.operands().size(); ++i) {
    const Shape& operand = move.operand(static_cast<int64_t>(i) + first).shape();
    if (operand.IsArray() && parts[i].IsArray() &&
        operand.element_type() != parts[i].element_type()) {
      parts[i] = Shape(operand.element_type(), parts[i].dimensions()).WithDefaultLayout();
    }
  }
  return parts;
}

Shape WholeOf(const Instruction& move, std::vector<Shape> parts) {
  return move.shape().IsTuple() ? Shape::Tuple(std::move(parts)) : parts[0];
}

bool ConvertsToo(const Instruction& instruction) {
  return absl::c_linear_search(kMoves, instruction.opcode()) &&
         WholeOf(instruction, InTypesOfOperands(instruction)) != instruction.shape();
}

// Gives `move` the types of its operands, and adds converts whose results replace those of `move`.
void SeparateConvert(Instruction* move) {
  const Shape wanted = move->shape();
  const std::vector<Shape> parts = InTypesOfOperands(*move);
  std::vector<Instruction*> added;
  const auto add = [&](const std::string& suffix, Opcode opcode, const Shape& shape,
                       std::vector<Instruction*> operands) {
    added.push_back(move->parent()->Add(
        std::make_unique<Instruction>(absl::StrCat(move->name(), suffix), opcode, shape)));
    added.back()->mutable_operands() = std::move(operands);
    return added.back();
  };
  if (wanted.IsTuple()) {
    std::vector<Instruction*> converted;
    for (size_t i = 0; i < parts.size(); ++i) {
      Instruction* part = add(absl::StrCat(".part", i), Opcode::kGetTupleElement, parts[i], {move});
      part->Set(Attr::kIndex, static_cast<int64_t>(i));
      converted.push_back(
          add(absl::StrCat(".convert", i), Opcode::kConvert, wanted.tuple_shapes()[i], {part}));
    }
    add(".converted", Opcode::kTuple, wanted, converted);
  } else {
    add(".convert", Opcode::kConvert, wanted, {move});
  }
  MoveBehind(move, added);
  ReplaceUses(move, added.back(), added);
  move->mutable_shape() = WholeOf(*move, parts);
}

// Returns true if every value of `from` is a value of `to`.
bool Holds(PrimitiveType to, PrimitiveType from) {
  if (from == PrimitiveType::kPred) return IsInteger(to) || (IsFloat(to) && BitWidth(to) >= 32);
  return IsFloat(to) && BitWidth(to) >= 32 && IsFloat(from) && BitWidth(from) < BitWidth(to);
}

// An operand that does not have the type that HLO requires: the value of a pad, a branch of a
// select, the narrower factor of a product, or an operand of a reduction that is narrower than the
// parameter of its computation.
struct OddOperand {
  int64_t number;
  PrimitiveType expected;
};

std::optional<OddOperand> NarrowOperandOf(const Instruction& reduction) {
  const Computation* computation = reduction.CalledComputation(Attr::kToApply);
  if (computation == nullptr) return std::nullopt;
  const std::vector<Instruction*> parameters = computation->parameters();
  for (int64_t i = 0; i < std::min(reduction.operand_count(), std::ssize(parameters)); ++i) {
    if (parameters[i] == nullptr) continue;
    const PrimitiveType expected = parameters[i]->shape().element_type();
    if (Holds(expected, reduction.operand(i).shape().element_type())) return {{i, expected}};
  }
  return std::nullopt;
}

std::optional<OddOperand> OddOperandOf(const Instruction& instruction) {
  const auto type = [&](int64_t i) { return instruction.operand(i).shape().element_type(); };
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kPad && type(1) != type(0)) return {{1, type(0)}};
  if (opcode == Opcode::kSelect && type(1) != type(2)) {
    const PrimitiveType result = instruction.shape().element_type();
    if (type(1) == result) return {{2, result}};
    if (type(2) == result) return {{1, result}};
  }
  if (opcode == Opcode::kConvolution || opcode == Opcode::kDot) {
    if (Holds(type(0), type(1))) return {{1, type(0)}};
    if (Holds(type(1), type(0))) return {{0, type(1)}};
  }
  if (opcode == Opcode::kReduce || opcode == Opcode::kReduceWindow)
    return NarrowOperandOf(instruction);
  return std::nullopt;
}
bool HasOddOperand(const Instruction& instruction) { return OddOperandOf(instruction).has_value(); }

void ConvertOddOperand(Instruction* user) {
  const OddOperand odd = *OddOperandOf(*user);
  Instruction* value = user->mutable_operands()[odd.number];
  Instruction* converted = user->parent()->Add(std::make_unique<Instruction>(
      absl::StrCat(user->name(), ".odd", odd.number), Opcode::kConvert,
      Shape(odd.expected, value->shape().dimensions()).WithDefaultLayout()));
  converted->mutable_operands() = {value};
  MoveBehind(value, {converted});
  user->mutable_operands()[odd.number] = converted;
}

absl::Status AddFoldedReverse(Instruction* computed) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<int64_t> dimensions, ReversedOnStore(*computed));
  if (dimensions.empty()) return absl::OkStatus();
  Instruction* reverse = computed->parent()->Add(std::make_unique<Instruction>(
      absl::StrCat(computed->name(), ".reversed"), Opcode::kReverse, computed->shape()));
  reverse->mutable_operands() = {computed};
  reverse->Set(Attr::kDimensions, std::move(dimensions));
  MoveBehind(computed, {reverse});
  ReplaceUses(computed, reverse, {reverse});
  return absl::OkStatus();
}

std::vector<Instruction*> Where(const Module& module, bool (*holds)(const Instruction&)) {
  std::vector<Instruction*> found;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (holds(*instruction)) found.push_back(instruction.get());
    }
  }
  return found;
}

}  // namespace

absl::Status LowerLibraryCalls(Module& module) {
  const auto any = [](const Instruction&) { return true; };
  for (Instruction* computed : Where(module, any))
    HLOCTS_RETURN_IF_ERROR(AddFoldedReverse(computed));
  for (Instruction* user : Where(module, HasOddOperand)) {
    while (HasOddOperand(*user)) ConvertOddOperand(user);
  }
  for (Instruction* move : Where(module, ConvertsToo)) SeparateConvert(move);
  const auto is_call = [](const Instruction& one) { return one.opcode() == Opcode::kCustomCall; };
  for (Instruction* call : Where(module, is_call)) {
    HLOCTS_ASSIGN_OR_RETURN(const std::unique_ptr<Module> meaning, ComputationOf(*call));
    Computation* computation = AddCopy(*meaning->entry(), *call, module);
    call->set_opcode(Opcode::kCall);
    call->mutable_attributes().clear();
    call->Set(Attr::kToApply, computation);
  }
  return absl::OkStatus();
}

}  // namespace hlocts::backends
