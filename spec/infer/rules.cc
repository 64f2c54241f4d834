// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/rules.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_join.h"
#include "spec/ir/module.h"

namespace hlocts {

absl::Status Broken(absl::string_view rule, absl::string_view expected, absl::string_view found) {
  return RuleError(rule, absl::StrCat("expected ", expected, ", found ", found));
}

std::string ListText(absl::Span<const int64_t> values) {
  return absl::StrCat("{", absl::StrJoin(values, ","), "}");
}

bool CompatibleSize(int64_t a, int64_t b) {
  return a == b || a == kUnboundedSize || b == kUnboundedSize;
}

bool CompatibleDimensions(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int64_t d = 0; d < a.rank(); ++d) {
    if (!CompatibleSize(a.dimensions()[d], b.dimensions()[d])) return false;
  }
  return true;
}

bool Compatible(const Shape& a, const Shape& b) {
  if (a.element_type() != b.element_type() || !CompatibleDimensions(a, b) ||
      a.tuple_shapes().size() != b.tuple_shapes().size()) {
    return false;
  }
  for (size_t i = 0; i < a.tuple_shapes().size(); ++i) {
    if (!Compatible(a.tuple_shapes()[i], b.tuple_shapes()[i])) return false;
  }
  return true;
}

absl::Status ExpectDimension(absl::string_view rule, absl::string_view what, int64_t dimension,
                             int64_t rank) {
  HLOCTS_EXPECT(dimension >= 0 && dimension < rank, rule, absl::StrCat(what, " in [0, ", rank, ")"),
                absl::StrCat(dimension));
  return absl::OkStatus();
}

absl::Status ExpectDimensions(absl::string_view rule, absl::string_view what,
                              absl::Span<const int64_t> dimensions, int64_t rank) {
  absl::flat_hash_set<int64_t> seen;
  for (int64_t d : dimensions) {
    HLOCTS_RETURN_IF_ERROR(ExpectDimension(rule, what, d, rank));
    HLOCTS_EXPECT(seen.insert(d).second, rule, absl::StrCat(what, " without repetition"),
                  ListText(dimensions));
  }
  return absl::OkStatus();
}

absl::Status ExpectAscending(absl::string_view rule, absl::string_view what,
                             absl::Span<const int64_t> dimensions) {
  for (size_t i = 1; i < dimensions.size(); ++i) {
    HLOCTS_EXPECT(dimensions[i - 1] < dimensions[i], rule, absl::StrCat("ascending ", what),
                  ListText(dimensions));
  }
  return absl::OkStatus();
}

absl::Status ExpectArray(absl::string_view rule, absl::string_view what, const Shape& shape) {
  HLOCTS_EXPECT(shape.IsArray(), rule, absl::StrCat("an array as ", what), ShapeText(shape));
  return absl::OkStatus();
}

absl::Status ExpectCompatible(absl::string_view rule, absl::string_view what, const Shape& expected,
                              const Shape& found) {
  HLOCTS_EXPECT(Compatible(expected, found), rule, absl::StrCat(ShapeText(expected), " as ", what),
                ShapeText(found));
  return absl::OkStatus();
}

void AppendSize(Shape& shape, int64_t size, bool is_dynamic) {
  std::vector<int64_t> dimensions = shape.dimensions();
  dimensions.push_back(size);
  Shape longer(shape.element_type(), std::move(dimensions));
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) longer.set_dynamic_dimension(d, true);
  }
  if (is_dynamic) longer.set_dynamic_dimension(-1, true);
  shape = std::move(longer);
}

void AppendDimension(Shape& shape, const Shape& source, int64_t from) {
  AppendSize(shape, source.dimension(from), source.is_dynamic_dimension(from));
}

Shape OneOrTuple(std::vector<Shape> shapes) {
  return shapes.size() == 1 ? std::move(shapes[0]) : Shape::Tuple(std::move(shapes));
}

const Signature& Signatures::Of(const Computation& computation) {
  std::unique_ptr<Signature>& entry = cache_[&computation];
  if (!entry) {
    entry = std::make_unique<Signature>();
    for (const Instruction* parameter : computation.parameters()) {
      entry->parameters.push_back(parameter ? &parameter->shape() : nullptr);
    }
    if (computation.root()) entry->result = &computation.root()->shape();
  }
  return *entry;
}

std::string SignatureText(const Signature& signature) {
  std::string text = "(";
  for (const Shape* parameter : signature.parameters) {
    absl::StrAppend(&text, text.size() > 1 ? ", " : "", parameter ? ShapeText(*parameter) : "?");
  }
  return absl::StrCat(text, ") -> ", signature.result ? ShapeText(*signature.result) : "?");
}

absl::Status ExpectSignature(absl::string_view rule, const Computation& computation,
                             const std::vector<Shape>& parameters, const Shape& result,
                             Signatures& signatures) {
  const Signature& found = signatures.Of(computation);
  bool fits = found.parameters.size() == parameters.size() && found.result != nullptr &&
              Compatible(*found.result, result);
  Signature expected;
  expected.result = &result;
  for (size_t i = 0; i < parameters.size(); ++i) {
    fits =
        fits && found.parameters[i] != nullptr && Compatible(*found.parameters[i], parameters[i]);
    expected.parameters.push_back(&parameters[i]);
  }
  HLOCTS_EXPECT(
      fits, rule,
      absl::StrCat("a computation %", computation.name(), " of type ", SignatureText(expected)),
      SignatureText(found));
  return absl::OkStatus();
}

absl::StatusOr<const Computation*> Called(const Instruction& instruction, Attr attr) {
  const Computation* called = instruction.CalledComputation(attr);
  HLOCTS_EXPECT(called != nullptr, "hlo.attribute", absl::StrCat("the attribute ", AttrName(attr)),
                "none");
  return called;
}

absl::StatusOr<std::vector<PrimitiveType>> ReducerTypes(absl::string_view rule,
                                                        const Instruction& instruction, Attr attr,
                                                        int64_t count, Signatures& signatures) {
  HLOCTS_ASSIGN_OR_RETURN(const Computation* reducer, Called(instruction, attr));
  const Signature& found = signatures.Of(*reducer);
  std::string form =
      absl::StrCat("%", reducer->name(), " with ", 2 * count,
                   " scalar parameters (T_0.., T_0..) -> ", count == 1 ? "T_0" : "(T_0..)");
  HLOCTS_EXPECT(static_cast<int64_t>(found.parameters.size()) == 2 * count && found.result, rule,
                form, SignatureText(found));
  std::vector<PrimitiveType> types;
  std::vector<Shape> results;
  for (int64_t i = 0; i < count; ++i) {
    const Shape *left = found.parameters[i], *right = found.parameters[i + count];
    HLOCTS_EXPECT(left && right && left->IsScalar() && right->IsScalar() &&
                      left->element_type() == right->element_type(),
                  rule, form, SignatureText(found));
    types.push_back(left->element_type());
    results.push_back(*left);
  }
  // A variadic computation with one operand may return its result in a 1-tuple.
  bool fits = Compatible(*found.result, OneOrTuple(results)) ||
              (count == 1 && Compatible(*found.result, Shape::Tuple(results)));
  HLOCTS_EXPECT(fits, rule, form, SignatureText(found));
  return types;
}

absl::Status ExpectFolded(const FoldClauses& clauses, const Instruction& fold, int64_t i,
                          const std::vector<PrimitiveType>& types) {
  const Shape &first = fold.operand(0).shape(), &operand = fold.operand(i).shape();
  const Shape& init = fold.operand(fold.operand_count() / 2 + i).shape();
  HLOCTS_RETURN_IF_ERROR(ExpectArray(clauses.array, absl::StrCat("operand ", i), operand));
  HLOCTS_EXPECT(CompatibleDimensions(first, operand), clauses.dimensions,
                absl::StrCat("operands of dimensions ", ListText(first.dimensions())),
                ShapeText(operand));
  const PrimitiveType type = operand.element_type();
  HLOCTS_EXPECT(types[i] == type, clauses.computation,
                absl::StrCat("parameter ", i, " of the computation of type ", TypeText(type)),
                TypeText(types[i]));
  return ExpectCompatible(clauses.init, absl::StrCat("init value ", i), Shape::Scalar(type), init);
}

absl::Status ExpectBatching(absl::string_view rule, absl::string_view what, const Shape& operand,
                            absl::Span<const int64_t> in_operand, const Shape& indices,
                            const std::vector<int64_t>& in_indices, int64_t index_vector_dim) {
  HLOCTS_RETURN_IF_ERROR(ExpectDimensions(rule, what, in_indices, indices.rank()));
  const bool in_vector =
      std::find(in_indices.begin(), in_indices.end(), index_vector_dim) != in_indices.end();
  HLOCTS_EXPECT(in_operand.size() == in_indices.size() && !in_vector, rule,
                absl::StrCat(in_operand.size(), " ", what, " without index_vector_dim"),
                ListText(in_indices));
  for (size_t i = 0; i < in_operand.size(); ++i) {
    HLOCTS_EXPECT(
        CompatibleSize(operand.dimension(in_operand[i]), indices.dimension(in_indices[i])), rule,
        "batching dimensions of equal sizes",
        absl::StrCat(operand.dimension(in_operand[i]), " and ", indices.dimension(in_indices[i])));
  }
  return absl::OkStatus();
}

}  // namespace hlocts
