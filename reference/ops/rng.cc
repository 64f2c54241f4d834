// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <utility>

#include "reference/kernels/random_bits.h"
#include "reference/ops/structured.h"
#include "reference/ops/wide.h"
#include "spec/ir/element_width.h"

namespace hlocts::reference {
namespace {

uint64_t JoinedWords(uint32_t low, uint32_t high) {
  return low | static_cast<uint64_t>(high) << 32;
}

// The sequence of random numbers of one rng instruction: Philox keyed by the seed. The counter
// consists of the element's index, the attempt, and the number of the instruction's execution.
class Stream {
 public:
  Stream(uint64_t seed, uint64_t number) : seed_(seed), number_(number) {}
  struct Pair {
    uint64_t first, second;
  };
  Pair At(uint64_t index, uint32_t attempt) const {
    const std::array<uint32_t, 4> words = Philox4x32(
        {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)},
        {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32) ^ attempt << 24,
         static_cast<uint32_t>(number_), static_cast<uint32_t>(number_ >> 32)});
    return {JoinedWords(words[0], words[1]), JoinedWords(words[2], words[3])};
  }

 private:
  uint64_t seed_, number_;
};

double InUnitInterval(uint64_t bits) { return std::ldexp(static_cast<double>(bits >> 11), -53); }

double ScalarOf(const Literal& literal) {
  return static_cast<double>(Widened<long double>(literal)[0]);
}

// Returns a value of the format in [a, b); draws again if it rounds up to b (rulings 0028, 0029).
uint64_t UniformFloat(const Stream& stream, uint64_t index, const FloatFormat& format, double a,
                      double b) {
  for (uint32_t attempt = 0; a < b && attempt < 64; ++attempt) {
    const double u = InUnitInterval(stream.At(index, attempt).first);
    const uint64_t bits = EncodeFloat(format, a * (1 - u) + b * u);
    const double value = DecodeFloat(format, bits);
    if (value >= a && value < b) return bits;
  }
  return EncodeFloat(format, a);  // an empty interval yields a
}

// Returns a plus a uniform number below b - a, which is the high half of a product.
uint64_t UniformInteger(const Stream& stream, uint64_t index, bool is_signed, uint64_t a,
                        uint64_t b) {
  const bool empty = is_signed ? static_cast<int64_t>(b) <= static_cast<int64_t>(a) : b <= a;
  if (empty) return a;
  const auto product = static_cast<unsigned __int128>(stream.At(index, 0).first) * (b - a);
  return a + static_cast<uint64_t>(product >> 64);
}

// Returns a normal number by Box-Muller, with the logarithm's argument in (0, 1].
double Normal(const Stream& stream, uint64_t index) {
  const Stream::Pair bits = stream.At(index, 0);
  const double radius = std::sqrt(-2 * std::log(1 - InUnitInterval(bits.first)));
  return radius * std::cos(2 * 3.14159265358979323846 * InUnitInterval(bits.second));
}

// Returns the stored form of an integer element, sign- or zero-extended to 64 bits.
uint64_t Extended(const Literal& scalar) {
  const int width = StorageBytes(scalar.element_type());
  const uint64_t bits = StoredBits(scalar.raw_data(), width);
  const int unused = 64 - 8 * width;
  if (!IsSigned(scalar.element_type())) return bits;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused);
}

// Stores the low bits of a word as a Literal stores an element of this type.
void StoreLowBits(PrimitiveType type, uint64_t bits, uint8_t* element) {
  const int unused = 64 - BitWidth(type);
  bits = IsSigned(type) ? static_cast<uint64_t>(static_cast<int64_t>(bits << unused) >> unused)
                        : bits << unused >> unused;
  std::memcpy(element, &bits, StorageBytes(type));
}

}  // namespace

// rng_uniform.1: uniformly distributed numbers in [a, b). rng_normal.1: normally distributed
// numbers with mean mu and standard deviation sigma. The numbers are free (ruling 0084); here they
// depend on the seed, the number of rng instructions executed before, and the element's index.
absl::StatusOr<Literal> EvaluateRng(EvalContext& context, const Instruction& instruction,
                                    absl::Span<Literal> operands) {
  const Shape shape(instruction.shape().element_type(), instruction.shape().dimensions());
  const PrimitiveType type = shape.element_type();
  const bool normal = instruction.WordOr(Attr::kDistribution, "") == "rng_normal";
  const bool is_float = IsFloat(type);
  if (IsComplex(type) || (normal && !is_float)) {
    return Unsupported(instruction.name(), ": rng of ", shape.ToString(false));
  }
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(shape));
  Literal out(shape);
  const Stream stream(context.options().rng_seed, context.NextRngStream());
  const int width = StorageBytes(type);
  uint8_t* element = out.mutable_raw_data();
  const double a = is_float ? ScalarOf(operands[0]) : 0, b = is_float ? ScalarOf(operands[1]) : 0;
  for (int64_t i = 0; i < out.element_count(); ++i, element += width) {
    uint64_t bits;
    if (normal) {
      bits = EncodeFloat(FormatOf(type), a + b * Normal(stream, i));
    } else if (is_float) {
      bits = UniformFloat(stream, i, FormatOf(type), a, b);
    } else {
      bits =
          UniformInteger(stream, i, IsSigned(type), Extended(operands[0]), Extended(operands[1]));
    }
    std::memcpy(element, &bits, width);
  }
  return out;
}

namespace {

// Fills `bits` from the state and returns the state that follows.
Literal MovedState(const Literal& state, const Shape& shape, bool three_fry,
                   absl::Span<uint64_t> bits) {
  const int64_t words = state.element_count();
  const absl::Span<const uint64_t> before = state.data<uint64_t>();
  const bool wide = BitWidth(shape.element_type()) == 64;
  Literal moved(Shape(PrimitiveType::kU64, {words}));
  absl::Span<uint64_t> after = moved.mutable_data<uint64_t>();
  after[0] = before[0];
  if (three_fry) {
    after[1] = before[1] + ThreeFryBits(before[0], before[1], shape.dimensions(), wide, bits);
    return moved;
  }
  const std::array<uint64_t, 2> counter = {before[1], words == 3 ? before[2] : before[0]};
  const uint64_t steps = PhiloxBits(before[0], counter, wide, bits);
  const std::array<uint64_t, 2> advanced = AdvancePhilox(counter, steps);
  for (int64_t i = 1; i < words; ++i) after[i] = advanced[i - 1];
  return moved;
}

}  // namespace

// rng_bit_generator.1-6, 13-16: returns the new state and uniform bits, both functions of the
// state. Word 0 of the state is the key, the others are the counter, low word first: one word for
// ThreeFry, two for Philox. A Philox state of two words lacks the counter's high word, for which
// the key is used (ruling 0030; bits and state as XLA lays them out). rng_default is Philox.
absl::StatusOr<Literal> EvaluateRngBitGenerator(EvalContext& context,
                                                const Instruction& instruction,
                                                absl::Span<Literal> operands) {
  const Literal& state = operands[0];
  const Shape& data = instruction.shape().tuple_shapes()[1];
  const Shape shape(data.element_type(), data.dimensions());
  const absl::string_view algorithm = instruction.WordOr(Attr::kAlgorithm, "rng_default");
  const bool three_fry = algorithm == "rng_three_fry";
  const int64_t words = state.element_count();
  if (state.element_type() != PrimitiveType::kU64 || (words != 2 && (three_fry || words != 3))) {
    return Unsupported(instruction.name(), ": ", algorithm, ": expected a state of shape u64[2]",
                       three_fry ? "" : " or u64[3]", ", found ", state.shape().ToString(false));
  }
  if (IsComplex(shape.element_type()) || shape.element_type() == PrimitiveType::kPred) {
    return Unsupported(instruction.name(), ": cannot draw bits of ", shape.ToString(false));
  }
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(shape));
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(shape.ElementCount() * sizeof(uint64_t)));
  std::vector<uint64_t> bits(shape.ElementCount());
  Literal new_state = MovedState(state, shape, three_fry, absl::MakeSpan(bits)), out(shape);
  uint8_t* element = out.mutable_raw_data();
  for (uint64_t word : bits) {
    StoreLowBits(shape.element_type(), word, element);
    element += StorageBytes(shape.element_type());
  }
  std::vector<Literal> results;
  results.push_back(std::move(new_state));
  results.push_back(std::move(out));
  return Literal::Tuple(std::move(results));
}

// Undocumented: returns the state of the module's generator, 128 bits with the low word first, and
// then adds delta to it.
absl::StatusOr<Literal> EvaluateRngGetAndUpdateState(EvalContext& context,
                                                     const Instruction& instruction,
                                                     absl::Span<Literal> operands) {
  const Shape shape(PrimitiveType::kU64, {2});
  if (!shape.CompatibleWith(instruction.shape())) {
    return Unsupported(instruction.name(), ": expected a state of shape u64[2], found ",
                       instruction.shape().ToString(false));
  }
  Literal out(shape);
  absl::Span<uint64_t> state = context.rng_state();
  std::copy(state.begin(), state.end(), out.mutable_data<uint64_t>().begin());
  const uint64_t delta = static_cast<uint64_t>(instruction.IntOr(Attr::kDelta, 1));
  const std::array<uint64_t, 2> moved = AdvancePhilox({state[0], state[1]}, delta);
  std::copy(moved.begin(), moved.end(), state.begin());
  return out;
}

}  // namespace hlocts::reference
