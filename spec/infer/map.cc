// SPDX-License-Identifier: Apache-2.0
// Shape rules of map (over all dimensions and without extra parameters, ruling 0048) and of scan.
#include "spec/infer/rules.h"
#include "spec/infer/scan_dimension.h"

namespace hlocts {

absl::StatusOr<Shape> InferMap(const Instruction& map, Signatures& signatures) {
  const Shape& first = map.operand(0).shape();
  std::vector<Shape> parameters;
  for (const Instruction* operand : map.operands()) {
    HLOCTS_RETURN_IF_ERROR(ExpectArray("map.2", "operands", operand->shape()));
    HLOCTS_EXPECT(CompatibleDimensions(first, operand->shape()), "map.5",
                  absl::StrCat("operands of dimensions ", ListText(first.dimensions())),
                  ShapeText(operand->shape()));
    parameters.push_back(Shape::Scalar(operand->shape().element_type()));
  }
  const std::vector<int64_t>& dimensions = map.IntList(Attr::kDimensions);
  HLOCTS_EXPECT(static_cast<int64_t>(dimensions.size()) == first.rank(), "map.4",
                absl::StrCat("all ", first.rank(), " dimensions"), ListText(dimensions));
  for (int64_t d = 0; d < first.rank(); ++d) {
    HLOCTS_EXPECT(dimensions[d] == d, "map.4", "dimensions {0, 1, ...}", ListText(dimensions));
  }
  HLOCTS_ASSIGN_OR_RETURN(const Computation* computation, Called(map, Attr::kToApply));
  const Shape* result = signatures.Of(*computation).result;
  HLOCTS_EXPECT(result != nullptr && result->IsScalar(), "map.7",
                "a computation with a scalar result", SignatureText(signatures.Of(*computation)));
  HLOCTS_RETURN_IF_ERROR(ExpectSignature("map.7", *computation, parameters, *result, signatures));
  return first.WithElementType(result->element_type()).WithoutLayout();
}

namespace {

// Returns the shapes of the computation's arguments. All inputs have the same size along the scan
// dimension; each iteration receives a slice of each input, without that dimension.
absl::StatusOr<std::vector<Shape>> ArgumentsOfScan(const Instruction& scan, int64_t inputs,
                                                   int64_t dimension) {
  std::vector<Shape> arguments;
  for (int64_t i = 0; i < scan.operand_count(); ++i) {
    const Shape& operand = scan.operand(i).shape();
    HLOCTS_RETURN_IF_ERROR(ExpectArray("hlo.scan", absl::StrCat("operand ", i), operand));
    HLOCTS_EXPECT(!operand.is_dynamic(), "hlo.scan", "operands of static sizes",
                  ShapeText(operand));
    if (i >= inputs) {
      arguments.push_back(operand.WithoutLayout());
      continue;
    }
    HLOCTS_RETURN_IF_ERROR(ExpectDimension("hlo.scan", "the dimension", dimension, operand.rank()));
    const int64_t trips = scan.operand(0).shape().dimension(dimension);
    HLOCTS_EXPECT(operand.dimension(dimension) == trips, "hlo.scan",
                  absl::StrCat("inputs of size ", trips, " along dimension ", dimension),
                  ShapeText(operand));
    arguments.push_back(WithoutDimension(operand, dimension));
  }
  return arguments;
}

// Adds the scan dimension to the slices of the outputs. Checks that carries do not change shape.
absl::StatusOr<Shape> ResultOfScan(const Shape& parts, absl::Span<const Shape> arguments,
                                   int64_t inputs, int64_t dimension, int64_t trips) {
  const int64_t carries = static_cast<int64_t>(arguments.size()) - inputs;
  const int64_t outputs = static_cast<int64_t>(parts.tuple_shapes().size()) - carries;
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < outputs; ++i) {
    const Shape& part = parts.tuple_shapes()[i];
    HLOCTS_RETURN_IF_ERROR(ExpectArray("hlo.scan", "a part of an output", part));
    HLOCTS_RETURN_IF_ERROR(
        ExpectDimension("hlo.scan", "the dimension of an output", dimension, part.rank() + 1));
    std::vector<int64_t> sizes = part.dimensions();
    sizes.insert(sizes.begin() + dimension, trips);
    shapes.emplace_back(part.element_type(), std::move(sizes));
  }
  for (int64_t i = 0; i < carries; ++i) {
    const Shape &next = parts.tuple_shapes()[outputs + i], &carry = arguments[inputs + i];
    HLOCTS_EXPECT(next.CompatibleWith(carry), "hlo.scan",
                  absl::StrCat("a carry of shape ", ShapeText(carry)), ShapeText(next));
    shapes.push_back(carry);
  }
  return Shape::Tuple(std::move(shapes));
}

}  // namespace

// scan is newer than the documents (ruling 0100). Its computation receives a slice of each input
// and the carries, and returns a slice of each output and the next carries.
absl::StatusOr<Shape> InferScan(const Instruction& scan, Signatures& signatures) {
  HLOCTS_ASSIGN_OR_RETURN(const Computation* computation, Called(scan, Attr::kToApply));
  const int64_t carries = scan.IntOr(Attr::kNumCarries, 0), inputs = scan.operand_count() - carries;
  HLOCTS_EXPECT(carries >= 0 && inputs >= 1, "hlo.scan",
                absl::StrCat("num_carries in [0, ", scan.operand_count() - 1, "]"),
                absl::StrCat(carries));
  const int64_t dimension = ScanDimensionOf(scan);
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Shape> arguments, ArgumentsOfScan(scan, inputs, dimension));
  const Shape* result = signatures.Of(*computation).result;
  HLOCTS_EXPECT(
      result != nullptr && result->IsTuple() &&
          static_cast<int64_t>(result->tuple_shapes().size()) >= carries,
      "hlo.scan",
      absl::StrCat("a computation that returns a tuple of outputs and ", carries, " carries"),
      SignatureText(signatures.Of(*computation)));
  HLOCTS_RETURN_IF_ERROR(ExpectSignature("hlo.scan", *computation, arguments, *result, signatures));
  return ResultOfScan(*result, arguments, inputs, dimension,
                      scan.operand(0).shape().dimension(dimension));
}

}  // namespace hlocts
