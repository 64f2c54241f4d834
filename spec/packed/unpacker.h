// SPDX-License-Identifier: Apache-2.0
// Bytes as values. Nothing is believed: a length beyond the end makes all that follows empty, and
// ok() false.
#ifndef HLOCTS_SPEC_PACKED_UNPACKER_H_
#define HLOCTS_SPEC_PACKED_UNPACKER_H_

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/packed/fields.h"

namespace hlocts::packed {

class Unpacker {
 public:
  Unpacker(absl::string_view bytes, const Module& module)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()), module_(module) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return at_ == end_; }
  size_t BytesLeft() const { return static_cast<size_t>(end_ - at_); }

  template <typename... T>
  void operator()(T&... values) {
    (Get(values), ...);
  }

  uint64_t Unsigned() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return Fail();
      const uint8_t byte = static_cast<uint8_t>(*at_++);
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    return Fail();
  }
  // A number of things of which each takes a byte at least.
  size_t Count() {
    const uint64_t count = Unsigned();
    return count <= BytesLeft() ? count : Fail();
  }
  absl::string_view Bytes() {
    const size_t size = Count();
    absl::string_view bytes(at_, size);
    at_ += size;
    return bytes;
  }

  void Get(int64_t& number) {
    const uint64_t code = Unsigned();
    number = static_cast<int64_t>((code >> 1) ^ (~(code & 1) + 1));
  }
  void Get(bool& value) { value = Unsigned() == 1; }
  void Get(double& value) {
    absl::string_view bytes = Bytes();
    if (bytes.size() != sizeof(value)) return static_cast<void>(Fail());
    std::memcpy(&value, bytes.data(), sizeof(value));
  }
  void Get(std::string& text) {
    absl::string_view bytes = Bytes();
    text.assign(bytes.data(), bytes.size());
  }
  void Get(Shape& shape);
  void Get(Literal& literal);
  void Get(AttributeValue& value);
  void Get(Instruction*& instruction);
  void Get(Computation*& computation);
  template <typename T>
  void Get(T& value) {
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(Unsigned());
    } else {
      Deeper([&] { Fields(*this, value); });
    }
  }
  template <typename A, typename B>
  void Get(std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <typename T>
  void Get(std::vector<T>& list) {
    list.resize(Count());
    for (T& item : list) Get(item);
  }
  void Get(std::vector<bool>& list) {
    list.resize(Count());
    for (size_t i = 0; i < list.size(); ++i) list[i] = Unsigned() == 1;
  }
  template <typename T>
  void Get(std::optional<T>& value) {
    if (Flag()) Get(value.emplace());
  }
  template <typename T>
  void Get(std::shared_ptr<const T>& value) {
    if (!Flag()) return;
    auto read = std::make_shared<T>();
    Get(*read);
    value = std::move(read);
  }

  bool Flag() { return Unsigned() == 1; }
  uint64_t Fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }
  void Enter(const Computation* computation) { here_ = computation; }

 private:
  // Shapes, shardings and literals hold others of their kind: rubbish must not use up the stack.
  static constexpr int kDepthMax = 1000;

  template <typename Read>
  void Deeper(const Read& read) {
    if (++depth_ > kDepthMax) Fail();
    if (ok_) read();
    --depth_;
  }

  void SetRuntimeSizes(const std::vector<int64_t>& sizes, Literal& literal);

  const char* at_;
  const char* end_;
  const Module& module_;
  const Computation* here_ = nullptr;
  bool ok_ = true;
  int depth_ = 0;
};

}  // namespace hlocts::packed

#endif  // HLOCTS_SPEC_PACKED_UNPACKER_H_
