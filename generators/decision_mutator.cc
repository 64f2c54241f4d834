// SPDX-License-Identifier: Apache-2.0
#include "generators/decision_mutator.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace hlocts::generators {
namespace {

class MarkingSource : public ByteSource {
 public:
  using ByteSource::ByteSource;
  void Mark() override { borders.push_back(consumed()); }
  std::vector<size_t> borders;
};

absl::Span<const uint8_t> AsBytes(absl::string_view bytes) {
  return absl::MakeSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

// The streams of valid modules. The first byte of an input, modulo their count, selects one.
constexpr Stream kStreams[] = {Stream::kDefined, Stream::kExact, Stream::kEdge, Stream::kSizes};

Generated GenerateWith(ByteSource& choose, absl::string_view bytes, GeneratorOptions options) {
  uint8_t first = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]);
  options.stream = kStreams[first % std::size(kStreams)];
  return Generate(choose, options);
}

// Returns a neighbour of the byte, one of the extreme bytes, or a random byte.
char ChangedByte(char old, SplitMix64& random) {
  switch (random.Below(5)) {
    case 0:
      return static_cast<char>(old + 1);
    case 1:
      return static_cast<char>(old - 1);
    case 2:
      return 0;
    case 3:
      return static_cast<char>(0xff);
    default:
      return static_cast<char>(random.Below(256));
  }
}

std::string RandomBytes(size_t count, SplitMix64& random) {
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Below(256));
  return bytes;
}

// An input, and the offsets at which the decisions of its instructions begin. A span contains the
// decisions of one instruction.
struct Decisions {
  explicit Decisions(absl::string_view bytes)
      : bytes(bytes), borders(InstructionBoundaries(bytes)) {}
  size_t spans() const { return borders.empty() ? 0 : borders.size() - 1; }
  absl::string_view Span(size_t i) const {
    return bytes.substr(borders[i], borders[i + 1] - borders[i]);
  }
  absl::string_view Before(size_t i) const { return bytes.substr(0, borders[i]); }
  absl::string_view From(size_t i) const { return bytes.substr(borders[i]); }

  absl::string_view bytes;
  std::vector<size_t> borders;
};

std::string ChangeOne(absl::string_view bytes, size_t first, size_t count, SplitMix64& random) {
  std::string changed(bytes);
  if (count == 0) return changed + RandomBytes(1, random);
  char& byte = changed[first + random.Below(count)];
  byte = ChangedByte(byte, random);
  return changed;
}

std::string Rearranged(const Decisions& d, SplitMix64& random) {
  size_t a = random.Below(d.spans()), b = random.Below(d.spans());
  if (a > b) std::swap(a, b);
  switch (random.Below(4)) {
    case 0:
      return absl::StrCat(d.Before(a), d.From(a + 1));  // removed
    case 1:
      return absl::StrCat(d.Before(b), d.Span(a), d.From(b));  // repeated
    case 2:
      return absl::StrCat(d.Before(a), RandomBytes(8, random), d.From(a));  // a random one inserted
    default:
      if (a == b) return std::string(d.Before(a));  // the rest removed
      return absl::StrCat(d.Before(a), d.Span(b),
                          d.bytes.substr(d.borders[a + 1], d.borders[b] - d.borders[a + 1]),
                          d.Span(a), d.From(b + 1));  // swapped
  }
}

}  // namespace

Generated GenerateFromBytes(absl::string_view bytes, GeneratorOptions options) {
  ByteSource choose(AsBytes(bytes.substr(std::min<size_t>(1, bytes.size()))));
  return GenerateWith(choose, bytes, std::move(options));
}

std::vector<size_t> InstructionBoundaries(absl::string_view bytes) {
  const size_t header = std::min<size_t>(1, bytes.size());
  MarkingSource choose(AsBytes(bytes.substr(header)));
  GenerateWith(choose, bytes, {});
  std::vector<size_t> borders;
  for (size_t border : choose.borders) borders.push_back(border + header);
  if (!borders.empty()) borders.push_back(choose.consumed() + header);
  return borders;
}

std::string MutateDecisions(absl::string_view bytes, size_t size_max, uint64_t seed) {
  SplitMix64 random(seed);
  Decisions d(bytes);
  std::string result;
  const size_t plan = d.borders.empty() ? bytes.size() : d.borders[0];
  if (d.spans() == 0 || random.Below(8) == 0) {
    result = absl::StrCat(bytes, RandomBytes(16, random));
  } else if (random.Below(8) == 0) {
    result = ChangeOne(bytes, 0, plan, random);
  } else if (random.Below(2) == 0) {
    result = ChangeOne(bytes, plan, d.borders.back() - plan, random);
  } else {
    result = Rearranged(d, random);
  }
  result.resize(std::min(result.size(), size_max));
  return result;
}

std::string CrossOverDecisions(absl::string_view first, absl::string_view second, size_t size_max,
                               uint64_t seed) {
  SplitMix64 random(seed);
  Decisions a(first), b(second);
  std::string result(first);
  if (a.spans() > 0 && b.spans() > 0) {
    size_t at = random.Below(a.spans()), from = random.Below(b.spans());
    if (random.Below(2) == 0) {
      result = absl::StrCat(a.Before(at), b.From(from));
    } else {
      size_t to = from + random.Below(std::min<size_t>(4, b.spans() - from));
      result = absl::StrCat(a.Before(at),
                            b.bytes.substr(b.borders[from], b.borders[to + 1] - b.borders[from]),
                            a.From(at));
    }
  }
  result.resize(std::min(result.size(), size_max));
  return result;
}

}  // namespace hlocts::generators

namespace {

size_t CopyOut(const std::string& from, uint8_t* to) {
  std::memcpy(to, from.data(), from.size());
  return from.size();
}

absl::string_view View(const uint8_t* data, size_t size) {
  return absl::string_view(reinterpret_cast<const char*>(data), size);
}

}  // namespace

extern "C" size_t hlocts_mutate_decisions(uint8_t* data, size_t size, size_t size_max,
                                          uint64_t seed) {
  return CopyOut(hlocts::generators::MutateDecisions(View(data, size), size_max, seed), data);
}

extern "C" size_t hlocts_cross_over_decisions(const uint8_t* first, size_t first_size,
                                              const uint8_t* second, size_t second_size,
                                              uint8_t* out, size_t size_max, uint64_t seed) {
  return CopyOut(hlocts::generators::CrossOverDecisions(View(first, first_size),
                                                        View(second, second_size), size_max, seed),
                 out);
}
