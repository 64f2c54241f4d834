// SPDX-License-Identifier: Apache-2.0
#include "generators/input_recipes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <set>

#include "spec/ir/element_width.h"
#include "spec/ir/float_format.h"
#include "spec/ir/module.h"

namespace hlocts::generators {
namespace {

enum class Arrangement : uint8_t {
  kIndependent,  // each element is drawn independently
  kInTurn,       // well-known special values in the first inputs, then like kIndependent
  kFew,          // two or three values per leaf, in any order
  kOneOdd,       // plain numbers, but about one element in 16 from the other pools
  kNear,         // each leaf close to the numbers of an earlier leaf, or to their negatives
  kScales,       // one power of two per leaf, related to those of the other leaves
  kEqual,        // one value per leaf
  kAssorted,     // a different recipe for each leaf
};

enum Pool { kPlain, kOwn, kSpecial, kLimits, kWide, kPools };

struct Recipe {
  absl::string_view name;
  Arrangement arrangement;
  int shares[kPools];
};

constexpr Recipe kRecipes[] = {
#define HLOCTS_INPUT_RECIPE(name, Arranged, ...) {name, Arrangement::k##Arranged, {__VA_ARGS__}},
#include "generators/input_recipes.def"
#undef HLOCTS_INPUT_RECIPE
};

// Returns the bits of the nearest finite number.
uint64_t FiniteBits(PrimitiveType type, double value) {
  const FloatFormat& format = FormatOf(type);
  if (!format.has_sign) value = std::fabs(value);
  if (type == PrimitiveType::kF64) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  const uint64_t bits = EncodeFloat(format, value, Overflow::kSaturate);
  return IsInfinityBits(format, bits) ? format.max_finite_bits() | (bits & format.sign_mask())
                                      : bits;
}

uint64_t IntegerBits(PrimitiveType type, double value) {
  const double most = std::ldexp(1.0, BitWidth(type) - (IsSigned(type) ? 1 : 0));
  const double least = IsSigned(type) ? -most : 0;
  if (!(value > least)) return static_cast<uint64_t>(static_cast<int64_t>(least));
  if (value >= most) return BitMask(BitWidth(type) - (IsSigned(type) ? 1 : 0));
  return value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                   : static_cast<uint64_t>(value);
}

class Draws {
 public:
  Draws(PrimitiveType type, const std::vector<double>& own, SplitMix64& random)
      : type_(type), own_(own), random_(random) {}

  uint64_t From(const int (&shares)[kPools]) {
    int sum = 0;
    for (int share : shares) sum += share;
    int64_t at = static_cast<int64_t>(random_.Below(static_cast<uint64_t>(sum)));
    int pool = 0;
    while (at >= shares[pool]) at -= shares[pool++];
    if (type_ == PrimitiveType::kPred) return random_.Next() & 1;
    return FromPool(static_cast<Pool>(pool)) & BitMask(BitWidth(type_));
  }
  // Returns one of the few special values that most rules treat as a separate case.
  uint64_t TestedSpecialValue(uint64_t number) {
    if (!IsFloat(type_)) return IntegerBits(type_, static_cast<double>(number % 5) - 2);
    const FloatFormat& format = FormatOf(type_);
    const uint64_t least = format.has_zero ? uint64_t{1} << format.mantissa_bits : 0;
    const uint64_t infinity =
        format.has_infinity() ? format.infinity_bits() : format.max_finite_bits();
    const uint64_t sign = format.has_negative_zero() ? format.sign_mask() : 0;
    const uint64_t values[] = {0,
                               format.nan_bits(),
                               sign,
                               infinity,
                               format.max_finite_bits(),
                               least / 2,
                               FiniteBits(type_, 1),
                               infinity | sign,
                               least / 2 | sign,
                               FiniteBits(type_, -1),
                               format.max_finite_bits() | sign,
                               1,
                               least};
    return values[number % std::size(values)];
  }
  // Returns a number in [1, 2) times 2^exponent, of either sign. Limits the exponent to the format.
  uint64_t AtScale(double exponent) {
    if (!IsFloat(type_)) return IntegerLimit();
    const FloatFormat& format = FormatOf(type_);
    exponent = std::clamp(exponent, static_cast<double>(format.exponent_min()),
                          std::log2(format.max_finite()) - 1);
    return AtPower(exponent);
  }

 private:
  double Fraction() { return 1 + static_cast<double>(random_.Next() >> 12) * 0x1p-52; }
  double Signed(double value) { return random_.Next() & 1 ? -value : value; }
  // Like AtScale, for any exponent. Each draw is a separate statement, because the compiler chooses
  // the order in which operands of an expression are evaluated.
  uint64_t AtPower(double exponent) {
    const double fraction = Fraction();
    return FiniteBits(type_, Signed(std::exp2(exponent) * fraction));
  }

  uint64_t FromPool(Pool pool) {
    const auto& special = SpecialBitsOf(type_);
    switch (pool) {
      case kOwn:
        return Own();
      case kSpecial:
        return random_.Next() & 1 ? TestedSpecialValue(random_.Next())
                                  : special[random_.Below(special.size())];
      case kLimits:
        return IsFloat(type_) ? FloatLimit() : IntegerLimit();
      case kWide:
        return Wide();
      case kPlain:
      case kPools:
        break;
    }
    if (IsFloat(type_)) return AtPower(static_cast<double>(random_.Below(8)) - 5);
    const int64_t least = IsSigned(type_) ? -9 : 0;
    return static_cast<uint64_t>(
        least + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(10 - least))));
  }

  uint64_t Own() {
    double value = own_[random_.Below(own_.size())];
    if (random_.Below(4) == 0) value = -value;
    if (!IsFloat(type_))
      return IntegerBits(type_, value + static_cast<double>(random_.Below(3)) - 1);
    if (random_.Below(8) == 0) value += 0.5;
    const uint64_t bits = FiniteBits(type_, value);
    return BitsAt(type_, PlaceOf(type_, bits) + static_cast<int64_t>(random_.Below(3)) - 1);
  }

  uint64_t Wide() {
    const uint64_t bits = random_.Next() & BitMask(BitWidth(type_));
    if (!IsFloat(type_)) return bits;
    const FloatFormat& format = FormatOf(type_);
    return IsNanBits(format, bits) || IsInfinityBits(format, bits) ? format.max_finite_bits()
                                                                   : bits;
  }

  // Returns an integer near a power of two, near the largest number, or near its square root.
  uint64_t IntegerLimit() {
    const int width = BitWidth(type_);
    const uint64_t beside = random_.Below(5) - 2;
    const uint64_t power = uint64_t{1} << random_.Below(static_cast<uint64_t>(width));
    const double root = std::exp2((width - (IsSigned(type_) ? 1 : 0)) / 2.0);
    switch (random_.Below(4)) {
      case 0:
        return static_cast<uint64_t>(root) + beside;
      case 1:
        return ~power + 1 + beside;
      case 2:
        return BitMask(width - (IsSigned(type_) ? 1 : 0)) - random_.Below(3);
      default:
        return power + beside;
    }
  }

  // Returns a float near a limit of the range, of the precision, of powers, or of an integer type.
  uint64_t FloatLimit() {
    const FloatFormat& format = FormatOf(type_);
    const double most = std::log2(format.max_finite()), least = format.exponent_min();
    const double tiny = least - format.mantissa_bits;
    const double integers = static_cast<double>(uint64_t{1} << random_.Below(64));
    switch (random_.Below(10)) {
      case 0:
        return AtPower(most - static_cast<double>(random_.Below(3)));
      case 1:
        return AtPower(most / static_cast<double>(2 + random_.Below(2)));
      case 2:
        return AtPower(least + static_cast<double>(random_.Below(3)) - 1);
      case 3:
        return AtPower(least / 2);
      case 4:
        return AtPower(tiny + static_cast<double>(random_.Below(4)));
      case 5: {  // e, 2 or 10 to the power of the number is near a limit
        const double limit = random_.Next() & 1 ? most + 1 : -tiny;
        const double near = 0.95 + Fraction() / 20 - 0.025;
        const double base = random_.Below(3) == 0 ? 1
                            : random_.Next() & 1  ? std::log(2)
                                                  : std::log10(2);
        return FiniteBits(type_, Signed(limit * near * base));
      }
      case 6:
        return AtPower(-format.precision() + static_cast<double>(random_.Below(4)) - 1);
      case 7:
        return AtPower(format.precision() - static_cast<double>(random_.Below(3)));
      case 8:
        return AtPower(-static_cast<double>(random_.Below(24)));
      default: {
        const __int128 place = PlaceOf(type_, FiniteBits(type_, Signed(integers)));
        return BitsAt(type_, place + static_cast<int64_t>(random_.Below(5)) - 2);
      }
    }
  }

  PrimitiveType type_;
  const std::vector<double>& own_;
  SplitMix64& random_;
};

void AddWithNeighbours(double value, std::set<double>& values) {
  if (!std::isfinite(value)) return;
  values.insert({value - 1, value, value + 1});
}

// Adds the first 16 elements of a constant. Later elements are rarely new values.
void AddConstant(const Literal& literal, std::set<double>& values) {
  const PrimitiveType type = ComponentType(literal.element_type());
  for (int64_t i = 0; i < std::min<int64_t>(ComponentCount(literal), 16); ++i) {
    const uint64_t bits = ElementBits(literal, i);
    if (!IsFloat(type)) {
      AddWithNeighbours(static_cast<double>(PlaceOf(type, bits)), values);
      continue;
    }
    const double value = DecodeFloat(FormatOf(type), bits);
    if (!std::isfinite(value)) continue;
    values.insert(value);
    if (value != 0) values.insert(1 / value);
  }
}

// Returns the values of the pool `own` (input_recipes.h), in ascending order.
std::vector<double> OwnValues(const Module& module) {
  std::set<double> values = {0, 1};
  std::set<int64_t> sizes;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->has_literal() && instruction->shape().IsArray())
        AddConstant(instruction->literal(), values);
      if (!instruction->shape().IsArray()) continue;
      for (int64_t size : instruction->shape().dimensions()) {
        if (sizes.size() < 24) sizes.insert(size);
      }
      for (Attr attr : {Attr::kSliceSizes, Attr::kDynamicSliceSizes}) {
        for (int64_t size : instruction->IntList(attr)) sizes.insert(size);
      }
    }
  }
  for (int64_t size : sizes) {
    AddWithNeighbours(static_cast<double>(size), values);
    for (int64_t window : sizes) {
      if (window < size) AddWithNeighbours(static_cast<double>(size - window), values);
    }
  }
  return {values.begin(), values.end()};
}

void SetRuntimeSizes(const Shape& shape, SplitMix64& random, Literal& literal) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    const int64_t bound = shape.dimension(d);
    const int64_t choices[] = {
        0, std::min<int64_t>(1, bound), bound, std::max<int64_t>(bound - 1, 0),
        static_cast<int64_t>(random.Below(static_cast<uint64_t>(bound + 1)))};
    literal.SetRuntimeSize(d, choices[random.Below(std::size(choices))]);
  }
}

std::vector<uint64_t> DrawLeaf(const Recipe& recipe, PrimitiveType type, int64_t count,
                               uint64_t turn, double scale, const std::vector<double>& own,
                               SplitMix64& random) {
  constexpr int kPlainOnly[kPools] = {1, 0, 0, 0, 0};
  Draws draws(type, own, random);
  std::vector<uint64_t> bits(static_cast<size_t>(count));
  switch (recipe.arrangement) {
    case Arrangement::kEqual:
      std::fill(bits.begin(), bits.end(), draws.From(recipe.shares));
      break;
    case Arrangement::kInTurn:
      for (size_t i = 0; i < bits.size(); ++i) {
        bits[i] = turn < 24 && type != PrimitiveType::kPred ? draws.TestedSpecialValue(turn + i)
                                                            : draws.From(recipe.shares);
      }
      break;
    case Arrangement::kFew: {
      std::vector<uint64_t> few(2 + random.Below(2));
      for (uint64_t& value : few) value = draws.From(recipe.shares);
      for (uint64_t& element : bits) element = few[random.Below(few.size())];
      break;
    }
    case Arrangement::kOneOdd: {
      for (uint64_t& element : bits)
        element = random.Below(16) == 0 ? draws.From(recipe.shares) : draws.From(kPlainOnly);
      if (count > 0) bits[random.Below(static_cast<uint64_t>(count))] = draws.From(recipe.shares);
      break;
    }
    case Arrangement::kScales: {
      const double factors[] = {1, -1, 0.5, -0.5, 0};
      const double exponent = scale * factors[random.Below(std::size(factors))];
      for (uint64_t& element : bits) element = draws.AtScale(exponent);
      break;
    }
    case Arrangement::kIndependent:
    case Arrangement::kNear:
    case Arrangement::kAssorted:
      for (uint64_t& element : bits) element = draws.From(recipe.shares);
      break;
  }
  return bits;
}

// Writes numbers close to the elements `like`, or to their negatives.
void PutNear(PrimitiveType type, const std::vector<uint64_t>& like, SplitMix64& random,
             std::vector<uint64_t>& bits) {
  const bool negative = random.Next() & 1;
  const uint64_t apart = 1 + random.Below(4);
  for (size_t i = 0; i < bits.size() && !like.empty(); ++i) {
    __int128 place = PlaceOf(type, like[i % like.size()]);
    if (negative) place = -place;
    bits[i] = BitsAt(type, place + static_cast<int64_t>(random.Below(apart)) -
                               static_cast<int64_t>(apart / 2)) &
              BitMask(BitWidth(type));
  }
}

void Store(const std::vector<uint64_t>& bits, PrimitiveType type, Literal& literal) {
  uint8_t* to = literal.mutable_raw_data();
  const auto bytes = static_cast<size_t>(StorageBytes(type));
  const uint64_t mask = type == PrimitiveType::kPred ? 1 : BitMask(BitWidth(type));
  for (size_t i = 0; i < bits.size(); ++i) StoreElementBits(type, bits[i] & mask, to + i * bytes);
}

std::vector<uint64_t> Load(const Literal& literal) {
  std::vector<uint64_t> bits(static_cast<size_t>(ComponentCount(literal)));
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = ElementBits(literal, static_cast<int64_t>(i));
  return bits;
}

}  // namespace

__int128 PlaceOf(PrimitiveType type, uint64_t bits) {
  const int width = BitWidth(type);
  if (IsFloat(type)) {
    const uint64_t sign = FormatOf(type).sign_mask();
    const auto magnitude = static_cast<__int128>(bits & ~sign & BitMask(width));
    return bits & sign ? -magnitude : magnitude;
  }
  bits &= BitMask(width);
  const bool negative = IsSigned(type) && (bits >> (width - 1) & 1);
  return static_cast<__int128>(bits) - (negative ? static_cast<__int128>(1) << width : 0);
}

uint64_t BitsAt(PrimitiveType type, __int128 place) {
  if (IsFloat(type)) {
    const FloatFormat& format = FormatOf(type);
    const auto most = static_cast<__int128>(format.max_finite_bits());
    place = std::clamp(place, format.has_sign ? -most : static_cast<__int128>(0), most);
    return place < 0 ? static_cast<uint64_t>(-place) | format.sign_mask()
                     : static_cast<uint64_t>(place);
  }
  return static_cast<uint64_t>(place) & BitMask(BitWidth(type));
}

int64_t ComponentCount(const Literal& literal) {
  if (!literal.shape().IsArray()) return 0;
  return literal.element_count() * (IsComplex(literal.element_type()) ? 2 : 1);
}

uint64_t ElementBits(const Literal& literal, int64_t i) {
  const PrimitiveType type = ComponentType(literal.element_type());
  const int bytes = StorageBytes(type);
  return StoredBits(literal.raw_data() + i * bytes, bytes) & BitMask(BitWidth(type));
}

InputRecipes::InputRecipes(const Module& module, std::vector<Shape> leaves, uint64_t seed)
    : leaves_(std::move(leaves)), seed_(seed), own_(OwnValues(module)) {}

uint64_t InputRecipes::Count() { return std::size(kRecipes); }

absl::string_view InputRecipes::NameOf(uint64_t number) { return kRecipes[number % Count()].name; }

std::vector<Literal> InputRecipes::Named(absl::string_view name) const {
  uint64_t number = 0;
  while (NameOf(number) != name) HLOCTS_CHECK(++number < Count());
  return Make(number);
}

std::vector<Literal> InputRecipes::Make(uint64_t number) const {
  SplitMix64 random(seed_ * 0x2545f4914f6cdd1d + number);
  const Recipe& recipe = kRecipes[number % Count()];
  const double scale = static_cast<double>(random.Below(1100));
  std::vector<Literal> made;
  std::vector<std::pair<PrimitiveType, std::vector<uint64_t>>> before;
  for (const Shape& shape : leaves_) {
    Literal literal(shape);
    if (!shape.IsArray()) {
      made.push_back(std::move(literal));
      continue;
    }
    const PrimitiveType type = ComponentType(shape.element_type());
    const Recipe& own =
        recipe.arrangement == Arrangement::kAssorted ? kRecipes[random.Below(Count() - 1)] : recipe;
    // Limits the scale to the range of the type.
    const double range =
        IsFloat(type) ? std::log2(FormatOf(type).max_finite()) + FormatOf(type).mantissa_bits : 64;
    std::vector<uint64_t> bits =
        DrawLeaf(own, type, ComponentCount(literal), number / Count() + 5 * made.size(),
                 std::fmod(scale, range), own_, random);
    if (own.arrangement == Arrangement::kNear) {
      for (const auto& [other, like] : before) {
        if (other == type && !like.empty()) {
          PutNear(type, like, random, bits);
          break;
        }
      }
      if (before.empty() && bits.size() > 1 && (random.Next() & 1)) {
        const std::vector<uint64_t> half(bits.begin(),
                                         bits.begin() + static_cast<long>(bits.size() / 2));
        std::vector<uint64_t> rest(bits.size() - half.size());
        PutNear(type, half, random, rest);
        std::copy(rest.begin(), rest.end(), bits.begin() + static_cast<long>(half.size()));
      }
    }
    Store(bits, type, literal);
    SetRuntimeSizes(shape, random, literal);
    before.emplace_back(type, std::move(bits));
    made.push_back(std::move(literal));
  }
  return made;
}

std::vector<Literal> InputRecipes::Shift(absl::Span<const Literal> from, uint64_t number) const {
  SplitMix64 random(seed_ + number);
  const double share = std::ldexp(1.0, -4 - static_cast<int>(random.Below(12)));
  const double factor = random.Next() & 1 ? 1 + share : 1 - share;
  std::vector<Literal> shifted(from.begin(), from.end());
  for (Literal& leaf : shifted) {
    if (ComponentCount(leaf) == 0) continue;
    const PrimitiveType type = ComponentType(leaf.element_type());
    if (!IsFloat(type)) continue;
    std::vector<uint64_t> bits = Load(leaf);
    for (uint64_t& element : bits) {
      const double value = DecodeFloat(FormatOf(type), element);
      if (std::isfinite(value)) element = FiniteBits(type, value * factor);
    }
    Store(bits, type, leaf);
  }
  return shifted;
}

std::vector<Literal> InputRecipes::Change(absl::Span<const Literal> from, uint64_t number) const {
  constexpr int kAll[kPools] = {1, 3, 3, 3, 1};
  SplitMix64 random(seed_ * 0x2545f4914f6cdd1d + ~number);
  std::vector<Literal> changed(from.begin(), from.end());
  std::vector<size_t> places;
  for (size_t i = 0; i < changed.size(); ++i) {
    if (ComponentCount(changed[i]) > 0) places.push_back(i);
  }
  if (places.empty()) return changed;
  for (uint64_t times = 1 + random.Below(3); times > 0; --times) {
    Literal& leaf = changed[places[random.Below(places.size())]];
    const PrimitiveType type = ComponentType(leaf.element_type());
    std::vector<uint64_t> bits = Load(leaf);
    uint64_t& element = bits[random.Below(bits.size())];
    switch (random.Below(4)) {
      case 0:
        element = bits[random.Below(bits.size())];
        break;
      case 1:
        if (type != PrimitiveType::kPred) {
          element =
              BitsAt(type, PlaceOf(type, element) + static_cast<int64_t>(random.Below(5)) - 2);
        }
        break;
      default:
        element = Draws(type, own_, random).From(kAll);
    }
    Store(bits, type, leaf);
  }
  return changed;
}

}  // namespace hlocts::generators
