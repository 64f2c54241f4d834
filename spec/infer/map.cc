// SPDX-License-Identifier: Apache-2.0
// map (ruling 0048: over all dimensions, no extra parameters) and scan.
#include "spec/infer/rules.h"

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

// scan is newer than the documents: inputs and carries go through one computation, and only the
// text says the shapes. Checked is what every form of it needs.
absl::StatusOr<Shape> InferScan(const Instruction& scan, Signatures& signatures) {
  HLOCTS_ASSIGN_OR_RETURN(const Computation* computation, Called(scan, Attr::kToApply));
  const Signature& signature = signatures.Of(*computation);
  HLOCTS_EXPECT(static_cast<int64_t>(signature.parameters.size()) == scan.operand_count(),
                "hlo.scan", absl::StrCat("a computation of ", scan.operand_count(), " parameters"),
                SignatureText(signature));
  int64_t carries = scan.IntOr(Attr::kNumCarries, 0);
  HLOCTS_EXPECT(carries >= 0 && carries <= scan.operand_count(), "hlo.scan",
                absl::StrCat("num_carries in [0, ", scan.operand_count(), "]"),
                absl::StrCat(carries));
  const std::vector<int64_t>& dimensions = scan.IntList(Attr::kDimensions);
  int64_t dimension = scan.IntOr(Attr::kScanDimension, dimensions.empty() ? 0 : dimensions[0]);
  int64_t inputs = scan.operand_count() - carries;
  for (int64_t i = 0; i < inputs; ++i) {
    const Shape& input = scan.operand(i).shape();
    HLOCTS_RETURN_IF_ERROR(ExpectArray("hlo.scan", absl::StrCat("operand ", i), input));
    HLOCTS_RETURN_IF_ERROR(ExpectDimension("hlo.scan", "the dimension", dimension, input.rank()));
  }
  return scan.shape().WithoutLayout();
}

}  // namespace hlocts
