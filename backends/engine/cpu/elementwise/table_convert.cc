// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/elementwise/table_convert.h"

#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <utility>

#include "backends/engine/cpu/elementwise/families.h"
#include "backends/engine/cpu/elementwise/kernel.h"
#include "backends/engine/cpu/elementwise/loop.h"
#include "spec/ir/float_format.h"

namespace hlocts::cpu {
namespace {

constexpr size_t kTypesMax = 64;  // more than there are
constexpr int kBytes = 256;

size_t RowOfType(PrimitiveType type) { return static_cast<size_t>(type) % kTypesMax; }

// Two threads may make the same table: the first one stays, for ever.
template <typename T>
const T* Kept(std::atomic<const T*>& place, std::unique_ptr<T[]> made) {
  const T* known = nullptr;
  return place.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)
             ? made.release()
             : known;
}

// What each byte of the first type is in the second; places as wide as any element.
const void* TableOf(PrimitiveType from, PrimitiveType to) {
  using Table = std::atomic<const uint64_t*>;
  static std::array<std::array<Table, kTypesMax>, kTypesMax> tables;
  Table& place = tables[RowOfType(from)][RowOfType(to)];
  const uint64_t* table = place.load(std::memory_order_acquire);
  if (table != nullptr) return table;
  uint8_t bytes[kBytes];
  for (int i = 0; i < kBytes; ++i) bytes[i] = static_cast<uint8_t>(i);
  auto made = std::make_unique<uint64_t[]>(kBytes);
  GeneralConvert({from, to}, bytes, nullptr, nullptr, made.get(), kBytes);
  return Kept(place, std::move(made));
}

template <typename To>
void LookUp(const void* table, const uint8_t* x, To* r, int64_t count) {
  const To* values = static_cast<const To*>(table);
  HLOCTS_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) r[i] = values[x[i]];
}
template <typename To>
void FromByte(const KernelParameters& p, const void* a, const void*, const void*, void* out,
              int64_t count) {
  LookUp(TableOf(p.operand_type, p.result_type), static_cast<const uint8_t*>(a),
         static_cast<To*>(out), count);
}

// Sixteen bits tell how an f32 rounds to a float of at most eight: its upper half, made odd if
// anything is left below. No such float has more than five digits, the upper half has eight: two
// more than rounding to nearest needs behind an odd last one.
uint32_t RoundingKey(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  return bits >> 16 | static_cast<uint32_t>((bits & 0xffff) != 0);
}

// The table of all keys takes a millisecond to make: only for those who have converted much.
struct KeyTable {
  static constexpr int64_t kWorthwhile = 1 << 16;
  std::atomic<int64_t> converted{0};
  std::atomic<const uint8_t*> bytes{nullptr};
};

const uint8_t* MakeKeyTable(const FloatFormat& format, KeyTable& table) {
  constexpr uint32_t kKeys = 1 << 16;
  auto made = std::make_unique<uint8_t[]>(kKeys);
  for (uint32_t key = 0; key < kKeys; ++key) {
    const double value = static_cast<double>(std::bit_cast<float>(key << 16));
    made[key] = static_cast<uint8_t>(EncodeFloat(format, value));
  }
  return Kept(table.bytes, std::move(made));
}

// Floats of 16 or 32 bits to a byte.
void ToByte(const KernelParameters& p, const void* a, const void*, const void*, void* out,
            int64_t count) {
  constexpr int64_t kStep = 512;
  float decoded[kStep];
  const KernelFunction decode = VectorConvert(p.operand_type, PrimitiveType::kF32);
  const int width = StorageBytes(p.operand_type);
  for (int64_t at = 0; at < count; at += kStep) {
    const int64_t n = count - at < kStep ? count - at : kStep;
    const void* from = static_cast<const uint8_t*>(a) + at * width;
    if (decode != nullptr) decode({}, from, nullptr, nullptr, decoded, n);
    EncodeBytes(p.result_type, decode != nullptr ? decoded : static_cast<const float*>(from),
                static_cast<uint8_t*>(out) + at, n);
  }
}

bool IsByteFloat(PrimitiveType type) { return IsFloat(type) && StorageBytes(type) == 1; }

}  // namespace

void DecodeBytes(PrimitiveType type, const uint8_t* from, float* to, int64_t count) {
  if (const KernelFunction vector = VectorConvert(type, PrimitiveType::kF32)) {
    return vector({}, from, nullptr, nullptr, to, count);
  }
  LookUp(TableOf(type, PrimitiveType::kF32), from, to, count);
}

void EncodeBytes(PrimitiveType type, const float* from, uint8_t* to, int64_t count) {
  if (const KernelFunction vector = VectorConvert(PrimitiveType::kF32, type)) {
    return vector({}, from, nullptr, nullptr, to, count);
  }
  static std::array<KeyTable, kTypesMax> tables;
  const ScopedFlush keep(false);
  KeyTable& table = tables[RowOfType(type)];
  const FloatFormat& format = FormatOf(type);
  const uint8_t* bytes = table.bytes.load(std::memory_order_acquire);
  if (bytes == nullptr &&
      table.converted.fetch_add(count, std::memory_order_relaxed) > KeyTable::kWorthwhile) {
    bytes = MakeKeyTable(format, table);
  }
  if (bytes != nullptr) {
    for (int64_t i = 0; i < count; ++i) to[i] = bytes[RoundingKey(from[i])];
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<uint8_t>(EncodeFloat(format, static_cast<double>(from[i])));
  }
}

void UseTable(Kernel& kernel) {
  const PrimitiveType from = kernel.parameters.operand_type, to = kernel.parameters.result_type;
  const bool from_f32 =
      from == PrimitiveType::kF32 || VectorConvert(from, PrimitiveType::kF32) != nullptr;
  if (StorageBytes(from) == 1) {
    constexpr KernelFunction kByWidth[] = {FromByte<uint8_t>, FromByte<uint16_t>,
                                           FromByte<uint32_t>, FromByte<uint64_t>};
    kernel.run = kByWidth[std::countr_zero(static_cast<unsigned>(StorageBytes(to)))];
  } else if (IsByteFloat(to) && IsFloat(from) && BitWidth(from) <= 32 && from_f32) {
    kernel.run = ToByte;
  }
}

}  // namespace hlocts::cpu
