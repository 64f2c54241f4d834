// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/primitive_type.h"

#include <array>
#include <cstddef>

namespace hlocts {
namespace {

struct Row {
  PrimitiveType type;
  absl::string_view name;
  int bits;
  TypeClass type_class;
};

constexpr Row kRows[] = {
#define HLOCTS_PRIMITIVE_TYPE(Name, text, number, bits, type_class) \
  {PrimitiveType::k##Name, text, bits, TypeClass::type_class},
#include "spec/ir/primitive_types.def"
#undef HLOCTS_PRIMITIVE_TYPE
};
constexpr size_t kRowCount = sizeof(kRows) / sizeof(kRows[0]);
constexpr Row kInvalidRow = {PrimitiveType::kInvalid, "invalid", 0, TypeClass::kOther};
constexpr int kNumberLimit = 64;

constexpr std::array<int8_t, kNumberLimit> MakeRowOfNumber() {
  std::array<int8_t, kNumberLimit> result{};
  for (int8_t& row : result) row = -1;
  for (size_t i = 0; i < kRowCount; ++i) {
    result[static_cast<size_t>(kRows[i].type)] = static_cast<int8_t>(i);
  }
  return result;
}
constexpr std::array<int8_t, kNumberLimit> kRowOfNumber = MakeRowOfNumber();

const Row& RowOf(PrimitiveType type) {
  size_t number = static_cast<size_t>(type);
  if (number >= kNumberLimit || kRowOfNumber[number] < 0) return kInvalidRow;
  return kRows[kRowOfNumber[number]];
}

constexpr std::array<PrimitiveType, kRowCount> MakeAll() {
  std::array<PrimitiveType, kRowCount> result{};
  for (size_t i = 0; i < kRowCount; ++i) result[i] = kRows[i].type;
  return result;
}
constexpr std::array<PrimitiveType, kRowCount> kAll = MakeAll();

}  // namespace

absl::string_view PrimitiveTypeName(PrimitiveType type) { return RowOf(type).name; }

std::optional<PrimitiveType> PrimitiveTypeFromName(absl::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

std::optional<PrimitiveType> PrimitiveTypeFromNumber(int number) {
  if (number <= 0 || number >= kNumberLimit || kRowOfNumber[number] < 0) return std::nullopt;
  return static_cast<PrimitiveType>(number);
}

namespace {

// The properties that are queried per element, indexed by type number.
struct Facts {
  TypeClass type_class = TypeClass::kOther;
  uint8_t bits = 0;
};
constexpr std::array<Facts, 256> MakeFacts() {
  std::array<Facts, 256> facts{};
  for (const Row& row : kRows)
    facts[static_cast<size_t>(row.type)] = {row.type_class, static_cast<uint8_t>(row.bits)};
  return facts;
}
constexpr std::array<Facts, 256> kFacts = MakeFacts();

}  // namespace

TypeClass TypeClassOf(PrimitiveType type) { return kFacts[static_cast<size_t>(type)].type_class; }
int BitWidth(PrimitiveType type) { return kFacts[static_cast<size_t>(type)].bits; }
int StorageBytes(PrimitiveType type) { return (BitWidth(type) + 7) / 8; }

PrimitiveType ComponentType(PrimitiveType type) {
  if (type == PrimitiveType::kC64) return PrimitiveType::kF32;
  if (type == PrimitiveType::kC128) return PrimitiveType::kF64;
  return type;
}

PrimitiveType ComplexTypeOf(PrimitiveType component) {
  if (component == PrimitiveType::kF32) return PrimitiveType::kC64;
  if (component == PrimitiveType::kF64) return PrimitiveType::kC128;
  return PrimitiveType::kInvalid;
}

absl::Span<const PrimitiveType> AllPrimitiveTypes() { return kAll; }

}  // namespace hlocts
