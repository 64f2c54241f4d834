// SPDX-License-Identifier: Apache-2.0
// Values as bytes: numbers as varints, strings and lists with their length.
#ifndef HLOCTS_SPEC_PACKED_PACKER_H_
#define HLOCTS_SPEC_PACKED_PACKER_H_

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "spec/packed/fields.h"

namespace hlocts::packed {

class Packer {
 public:
  explicit Packer(const Module& module);

  template <typename... T>
  void operator()(const T&... values) {
    (Put(values), ...);
  }

  void Unsigned(uint64_t number) {
    char* at = Room(kVarintMax);
    for (; number > 0x7f; number >>= 7) *at++ = static_cast<char>(number | 0x80);
    *at++ = static_cast<char>(number);
    used_ = static_cast<size_t>(at - bytes_.data());
  }
  void Bytes(const void* data, size_t size) {
    Unsigned(size);
    char* at = Room(size);
    if (size > 0) std::memcpy(at, data, size);
    used_ += size;
  }

  void Put(int64_t number) {  // small ones of either sign are short
    Unsigned((static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63));
  }
  void Put(bool value) { Unsigned(value ? 1 : 0); }
  void Put(double value) { Bytes(&value, sizeof(value)); }
  void Put(const std::string& text) { Bytes(text.data(), text.size()); }
  void Put(const Shape& shape);
  void Put(const Literal& literal);
  void Put(const AttributeValue& value);
  // Within the computation that is being written mostly.
  void Put(Instruction* const& instruction);
  void Put(Computation* const& computation);
  template <typename T>
  void Put(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      Unsigned(static_cast<uint64_t>(value));
    } else {
      Fields(*this, value);
    }
  }
  template <typename A, typename B>
  void Put(const std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <typename T>
  void Put(const std::vector<T>& list) {
    Unsigned(list.size());
    for (const auto& item : list) Put(static_cast<const T&>(item));
  }
  template <typename T>
  void Put(const std::optional<T>& value) {
    Put(value.has_value());
    if (value) Put(*value);
  }
  template <typename T>
  void Put(const std::shared_ptr<T>& value) {
    Put(value != nullptr);
    if (value) Put(*value);
  }

  // What instructions are relative to.
  void Enter(const Computation& computation) { here_ = computations_.at(&computation); }
  // Nothing when something points out of the module.
  std::optional<std::string> Take() &&;

 private:
  static constexpr size_t kVarintMax = 10;

  struct Place {
    uint64_t computation, index;
  };
  char* Room(size_t size) {
    if (bytes_.size() - used_ < size) bytes_.resize(2 * bytes_.size() + size);
    return bytes_.data() + used_;
  }

  std::string bytes_ = std::string(2000, '\0');  // a piece of a module takes fewer
  size_t used_ = 0;
  uint64_t here_ = 0;
  bool whole_ = true;
  absl::flat_hash_map<const Computation*, uint64_t> computations_;
  absl::flat_hash_map<const Instruction*, Place> instructions_;
};

}  // namespace hlocts::packed

#endif  // HLOCTS_SPEC_PACKED_PACKER_H_
