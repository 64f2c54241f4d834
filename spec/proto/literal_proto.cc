// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "spec/proto/convert.h"
#include "spec/proto/parts.h"

namespace hlocts {
namespace {

using Proto = proto::LiteralProto;

// The field of LiteralProto that has the elements of a type. Its functions convert elements from
// and to bytes, which are stored as in a Literal but in the order of the layout.
struct DataField {
  PrimitiveType type;
  void (*write)(const std::string& bytes, Proto* proto);
  std::string (*read)(const Proto& proto);
};

// Fields that are repeated, with one number per element (two for complex).
#define HLOCTS_REPEATED(Name, Number, field)                                                   \
  {                                                                                            \
    PrimitiveType::k##Name,                                                                    \
        [](const std::string& bytes, Proto* proto) {                                           \
          proto->mutable_##field()->Resize(bytes.size() / sizeof(Number), Number());           \
          if (!bytes.empty())                                                                  \
            std::memcpy(proto->mutable_##field()->mutable_data(), bytes.data(), bytes.size()); \
        },                                                                                     \
        [](const Proto& proto) {                                                               \
          return std::string(reinterpret_cast<const char*>(proto.field().data()),              \
                             proto.field().size() * sizeof(Number));                           \
        }                                                                                      \
  }
// Fields of type bytes, with little-endian elements.
#define HLOCTS_BYTES(Name, field)                                                  \
  {                                                                                \
    PrimitiveType::k##Name,                                                        \
        [](const std::string& bytes, Proto* proto) { proto->set_##field(bytes); }, \
        [](const Proto& proto) { return std::string(proto.field()); }              \
  }

constexpr DataField kDataFields[] = {
    HLOCTS_REPEATED(Pred, bool, preds),
    HLOCTS_BYTES(S1, s1s),
    HLOCTS_BYTES(S2, s2s),
    HLOCTS_BYTES(S4, s4s),
    HLOCTS_BYTES(S8, s8s),
    HLOCTS_BYTES(S16, s16s),
    HLOCTS_REPEATED(S32, int32_t, s32s),
    HLOCTS_REPEATED(S64, int64_t, s64s),
    HLOCTS_BYTES(U1, u1s),
    HLOCTS_BYTES(U2, u2s),
    HLOCTS_BYTES(U4, u4s),
    HLOCTS_BYTES(U8, u8s),
    HLOCTS_BYTES(U16, u16s),
    HLOCTS_REPEATED(U32, uint32_t, u32s),
    HLOCTS_REPEATED(U64, uint64_t, u64s),
    HLOCTS_BYTES(F4E2M1FN, f4e2m1fns),
    HLOCTS_BYTES(F8E3M4, f8e3m4s),
    HLOCTS_BYTES(F8E4M3, f8e4m3s),
    HLOCTS_BYTES(F8E4M3B11FNUZ, f8e4m3b11fnuzs),
    HLOCTS_BYTES(F8E4M3FN, f8e4m3fns),
    HLOCTS_BYTES(F8E4M3FNUZ, f8e4m3fnuzs),
    HLOCTS_BYTES(F8E5M2, f8e5m2s),
    HLOCTS_BYTES(F8E5M2FNUZ, f8e5m2fnuzs),
    HLOCTS_BYTES(F8E8M0FNU, f8e8m0fnus),
    HLOCTS_BYTES(F16, f16s),
    HLOCTS_BYTES(BF16, bf16s),
    HLOCTS_REPEATED(F32, float, f32s),
    HLOCTS_REPEATED(F64, double, f64s),
    HLOCTS_REPEATED(C64, float, c64s),
    HLOCTS_REPEATED(C128, double, c128s),
};
#undef HLOCTS_REPEATED
#undef HLOCTS_BYTES

const DataField* DataFieldOf(PrimitiveType type) {
  for (const DataField& field : kDataFields) {
    if (field.type == type) return &field;
  }
  return nullptr;
}

// Clears the unused high bits of sub-byte elements, as in XLA's literals. A Literal of this project
// has copies of the sign there.
void MaskSubBytes(PrimitiveType type, std::string& bytes) {
  int mask = (1 << BitWidth(type)) - 1;
  for (char& byte : bytes) byte = static_cast<char>(byte & mask);
}

void ExtendSubBytes(PrimitiveType type, std::string& bytes) {
  int shift = 8 - BitWidth(type);
  for (char& byte : bytes) {
    uint8_t high = static_cast<uint8_t>(static_cast<uint8_t>(byte) << shift);
    byte = static_cast<char>(IsSigned(type) ? static_cast<int8_t>(high) >> shift : high >> shift);
  }
}

// Returns the order of elements in the proto, which depends only on minor_to_major.
Layout OrderOf(const Shape& shape) {
  Layout order = DefaultLayout(shape.rank());
  if (shape.layout()) order.minor_to_major = shape.layout()->minor_to_major;
  return order;
}

absl::Status RuntimeSizesFromProto(const Proto& proto, Literal& literal) {
  if (proto.runtime_sizes_size() == 0) return absl::OkStatus();
  const Shape shape = literal.shape();
  if (proto.runtime_sizes_size() != shape.rank()) {
    return InvalidInput("expected ", shape.rank(), " runtime_sizes, found ",
                        proto.runtime_sizes_size());
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    int64_t size = proto.runtime_sizes(static_cast<int>(d));
    if (!shape.is_dynamic_dimension(d)) continue;
    if (size < 0 || size > shape.dimension(d)) {
      return InvalidInput("run-time size ", size, " does not fit ", shape.ToString(false));
    }
    literal.SetRuntimeSize(d, size);
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> TupleFromProto(const Proto& proto, const Shape& shape) {
  if (proto.tuple_literals_size() != static_cast<int>(shape.tuple_shapes().size())) {
    return InvalidInput("literal of shape ", shape.ToString(false), ": expected ",
                        shape.tuple_shapes().size(), " tuple_literals, found ",
                        proto.tuple_literals_size());
  }
  std::vector<Literal> elements;
  for (int i = 0; i < proto.tuple_literals_size(); ++i) {
    HLOCTS_ASSIGN_OR_RETURN(Literal element, LiteralFromProto(proto.tuple_literals(i)));
    if (!element.shape().CompatibleWith(shape.tuple_shapes()[i])) {
      return InvalidInput("tuple element ", i, ": expected a literal of shape ",
                          shape.tuple_shapes()[i].ToString(false), ", found ",
                          element.shape().ToString(false));
    }
    elements.push_back(std::move(element));
  }
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Literal> ArrayFromProto(const Proto& proto, const Shape& shape) {
  PrimitiveType type = shape.element_type();
  const DataField* field = DataFieldOf(type);
  if (!field || shape.HasUnboundedDimension()) {
    return InvalidInput("expected a literal with elements, found one of ", shape.ToString(false));
  }
  std::string bytes = field->read(proto);
  if (IsSubByte(type)) ExtendSubBytes(type, bytes);
  // Compares sizes before allocating memory in proportion to the shape.
  HLOCTS_ASSIGN_OR_RETURN(Literal literal,
                          Literal::FromBytesInLayout(shape, OrderOf(shape), bytes));
  HLOCTS_RETURN_IF_ERROR(RuntimeSizesFromProto(proto, literal));
  return literal;
}

}  // namespace

absl::StatusOr<Literal> LiteralFromProto(const proto::LiteralProto& proto) {
  HLOCTS_ASSIGN_OR_RETURN(Shape shape, ShapeFromProto(proto.shape()));
  if (proto.sparse_indices_size() > 0) return Unsupported("sparse literals are not supported");
  if (shape.IsTuple()) return TupleFromProto(proto, shape);
  if (shape.IsArray()) return ArrayFromProto(proto, shape);
  if (!shape.IsToken()) {
    return InvalidInput("expected a literal of an array, a tuple or a token, found one of ",
                        shape.ToString(false));
  }
  return Literal(shape);
}

void LiteralToProto(const Literal& literal, Proto* out) {
  const Shape& shape = literal.shape();
  // XLA's literals always have layouts.
  ShapeToProto(shape.WithDefaultLayout(), out->mutable_shape());
  if (shape.IsTuple()) {
    for (const Literal& element : literal.elements()) {
      LiteralToProto(element, out->add_tuple_literals());
    }
  } else if (shape.IsArray()) {
    Layout order = OrderOf(shape);
    std::string bytes = literal.BytesInLayout(order);
    if (IsSubByte(shape.element_type())) MaskSubBytes(shape.element_type(), bytes);
    DataFieldOf(shape.element_type())->write(bytes, out);
    if (literal.has_runtime_sizes())
      ToRepeated(literal.runtime_sizes(), out->mutable_runtime_sizes());
  }
}

proto::LiteralProto LiteralToProto(const Literal& literal) {
  Proto out;
  LiteralToProto(literal, &out);
  return out;
}

}  // namespace hlocts
