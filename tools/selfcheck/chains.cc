// SPDX-License-Identifier: Apache-2.0
#include "tools/selfcheck/chains.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/accuracy/rules.h"
#include "spec/judge/joint.h"
#include "spec/judge/real.h"
#include "spec/ops/kinds.h"
#include "spec/text/parser.h"

namespace hlocts::tools {
namespace {

using Real = long double;

Real One(Real, Real, int) { return 1; }
Real Minus(Real, Real, int operand) { return operand == 0 ? 1 : -1; }
Real LogisticOf(Real x, Real) { return 1 / (1 + std::exp(-x)); }

constexpr ChainOperation kAdd = {"add", 2, [](Real x, Real y) { return x + y; }, One};
constexpr ChainOperation kSubtract = {"subtract", 2, [](Real x, Real y) { return x - y; }, Minus};
constexpr ChainOperation kMultiply = {"multiply", 2, [](Real x, Real y) { return x * y; },
                                      [](Real x, Real y, int k) { return k == 0 ? y : x; }};
constexpr ChainOperation kMaximum = {"maximum", 2, [](Real x, Real y) { return x < y ? y : x; },
                                     [](Real x, Real y, int k) -> Real { return (x < y) == k; }};
constexpr ChainOperation kMinimum = {"minimum", 2, [](Real x, Real y) { return y < x ? y : x; },
                                     [](Real x, Real y, int k) -> Real { return (y < x) == k; }};
constexpr ChainOperation kNegate = {"negate", 1, [](Real x, Real) { return -x; },
                                    [](Real, Real, int) -> Real { return -1; }};
constexpr ChainOperation kAbs = {"abs", 1, [](Real x, Real) { return std::fabs(x); },
                                 [](Real x, Real, int) -> Real { return x < 0 ? -1 : 1; }};
constexpr ChainOperation kTanh = {"tanh", 1, [](Real x, Real) { return std::tanh(x); },
                                  [](Real x, Real, int) {
                                    const Real f = std::tanh(x);
                                    return 1 - f * f;
                                  }};
constexpr ChainOperation kLogistic = {"logistic", 1, LogisticOf, [](Real x, Real, int) {
                                        return LogisticOf(x, 0) * LogisticOf(-x, 0);
                                      }};
constexpr ChainOperation kSine = {"sine", 1, [](Real x, Real) { return std::sin(x); },
                                  [](Real x, Real, int) { return std::cos(x); }};
constexpr ChainOperation kCosine = {"cosine", 1, [](Real x, Real) { return std::cos(x); },
                                    [](Real x, Real, int) { return -std::sin(x); }};
constexpr ChainOperation kDot = {"dot", 2, nullptr, nullptr, StepForm::kDot};
constexpr ChainOperation kRowMean = {"reduce", 1, nullptr, nullptr, StepForm::kRowMean};

// As models have them; what divides or takes logarithms would need data kept off zero.
constexpr const ChainOperation* kElementwise[] = {&kAdd,      &kSubtract, &kMultiply, &kAdd,
                                                  &kMultiply, &kTanh,     &kLogistic, &kSine,
                                                  &kCosine,   &kMaximum,  &kMinimum,  &kNegate};
constexpr const ChainOperation* kExact[] = {&kAdd,     &kSubtract, &kMaximum,
                                            &kMinimum, &kNegate,   &kAbs};
// A third of the steps are dots and sums.
constexpr const ChainOperation* kMixed[] = {&kAdd,      &kMultiply, &kTanh, &kSubtract, &kMultiply,
                                            &kLogistic, &kDot,      &kDot,  &kRowMean};

template <size_t N>
const ChainOperation* OneOf(const ChainOperation* const (&list)[N],
                            generators::SplitMix64& random) {
  return list[random.Below(N)];
}

// A square of so many; what dots and sums add up is scaled by powers of two, which round nothing.
constexpr int64_t kSide = 16, kLine = 256;
constexpr Real kDotScale = 0x1p-2L, kMeanScale = 0x1p-4L;

std::string StepText(const Chain& chain, size_t k, const std::string& shape) {
  const Chain::Step& step = chain.steps[k];
  const ChainOperation& operation = *step.operation;
  const std::string value =
      absl::StrCat(k + 1 == chain.steps.size() ? "  ROOT v" : "  v", k + 2, " = ", shape, " ");
  const std::string sum = absl::StrCat("t", k + 2), a = absl::StrCat("v", step.a),
                    b = absl::StrCat("v", step.b);
  switch (operation.form) {
    case StepForm::kEach:
      return absl::StrCat(value, operation.name, "(", a,
                          operation.operands == 2 ? absl::StrCat(", ", b) : "", ")\n");
    case StepForm::kDot:
      return absl::StrCat("  ", sum, " = ", shape, " dot(", a, ", ", b,
                          "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n", value,
                          "multiply(", sum, ", quarters)\n");
    case StepForm::kRowMean:
      return absl::StrCat("  ", sum, " = @[16] reduce(", a,
                          ", zero), dimensions={1}, to_apply=sum\n  r", k + 2, " = ", shape,
                          " broadcast(", sum, "), dimensions={0}\n", value, "multiply(r", k + 2,
                          ", sixteenths)\n");
  }
  HLOCTS_UNREACHABLE();
}

constexpr char kMixedHead[] = R"(HloModule chain
sum {
  x = @[] parameter(0)
  y = @[] parameter(1)
  ROOT z = @[] add(x, y)
}
ENTRY e {
)";
constexpr char kMixedScales[] = R"(  zero = @[] constant(0)
  quarter = @[] constant(0.25)
  quarters = @[16,16] broadcast(quarter), dimensions={}
  sixteenth = @[] constant(0.0625)
  sixteenths = @[16,16] broadcast(sixteenth), dimensions={}
)";

}  // namespace

int64_t Chain::rows() const { return kind == ChainKind::kMixed ? kSide : 1; }
int64_t Chain::columns() const { return kind == ChainKind::kMixed ? kSide : kLine; }

Chain Chain::Random(PrimitiveType type, ChainKind kind, int depth, generators::SplitMix64& random) {
  Chain chain{type, kind, {}};
  for (int i = 0; i < depth; ++i) {
    const ChainOperation* operation = kind == ChainKind::kExact   ? OneOf(kExact, random)
                                      : kind == ChainKind::kMixed ? OneOf(kMixed, random)
                                                                  : OneOf(kElementwise, random);
    int b = 0;
    if (operation->operands == 2) b = static_cast<int>(random.Below(static_cast<uint64_t>(i) + 1));
    chain.steps.push_back({operation, i + 1, b});
  }
  return chain;
}

std::unique_ptr<Module> Chain::ToModule() const {
  const bool mixed = kind == ChainKind::kMixed;
  const std::string shape = mixed ? "@[16,16]" : "@[256]";
  std::string text = mixed ? kMixedHead : "HloModule chain\nENTRY e {\n";
  for (int i : {0, 1}) {
    absl::StrAppend(&text, "  v", i, " = ", shape, " parameter(", i, ")\n");
  }
  if (mixed) absl::StrAppend(&text, kMixedScales);
  for (size_t k = 0; k < steps.size(); ++k) absl::StrAppend(&text, StepText(*this, k, shape));
  auto module =
      ParseModule(absl::StrReplaceAll(absl::StrCat(text, "}\n"), {{"@", PrimitiveTypeName(type)}}));
  HLOCTS_CHECK(module.ok());
  return *std::move(module);
}

std::string Chain::InstructionOf(size_t step) const {
  return absl::StrCat(steps[step].operation->form == StepForm::kEach ? "v" : "t", step + 2);
}

int64_t Chain::ElementsOf(size_t step) const {
  return steps[step].operation->form == StepForm::kRowMean ? kSide : elements();
}

FirstOrder::FirstOrder(const Chain& chain, const std::vector<Literal>& arguments) : chain_(chain) {
  for (const Literal& argument : arguments) {
    Array values;
    for (int64_t i = 0; i < argument.element_count(); ++i) values.push_back(RealAt(argument, i));
    values_.push_back(std::move(values));
  }
  for (size_t k = 0; k < chain.steps.size(); ++k) Evaluate(k);
}

double FirstOrder::Own(size_t step, int64_t element) const { return own_[step][element]; }
double FirstOrder::Exact(size_t step, int64_t element) const {
  return static_cast<double>(rounding_[step][element]);
}

double FirstOrder::ResultOf(int64_t element) const {
  return static_cast<double>(values_.back()[element]);
}

// A sum of that magnitude in any order (RULES 1).
void FirstOrder::OwnOfSums(size_t step, const Array& magnitude, double units) {
  const double u = std::ldexp(1.0, -FactsOf(chain_.type).p);
  for (size_t i = 0; i < magnitude.size(); ++i) {
    own_[step].push_back(units * u * static_cast<double>(magnitude[i]));
  }
}

void FirstOrder::EachElement(size_t step, const Array& a, const Array& b, Array& value) {
  const ChainOperation& operation = *chain_.steps[step].operation;
  const Rule rule = RuleFor(*OpcodeFromName(operation.name), chain_.type, Profile::kDefault);
  const double ulps = rule.rule_class == RuleClass::kUlp                ? rule.ulps
                      : rule.rule_class == RuleClass::kCorrectlyRounded ? 0.5
                                                                        : 0;
  for (size_t i = 0; i < a.size(); ++i) {
    value.push_back(operation.value(a[i], b[i]));
    own_[step].push_back(ulps * FactsOf(chain_.type).Ulp(static_cast<double>(value[i])));
  }
}

namespace {

// term(0) + ... + term(kSide - 1), and the sum of their magnitudes behind the others of these.
template <typename Term>
void AppendSum(Term term, std::vector<Real>& sums, std::vector<Real>& magnitudes) {
  Real sum = 0, size = 0;
  for (int64_t j = 0; j < kSide; ++j) {
    const Real one = term(j);
    sum += one;
    size += std::fabs(one);
  }
  sums.push_back(sum);
  magnitudes.push_back(size);
}

}  // namespace

void FirstOrder::Evaluate(size_t step) {
  const Chain::Step& s = chain_.steps[step];
  const Array &a = values_[s.a], &b = values_[s.b];
  Array sums, magnitude, value;
  own_.emplace_back();
  switch (s.operation->form) {
    case StepForm::kEach:
      EachElement(step, a, b, sums);
      value = sums;
      break;
    case StepForm::kDot:
      for (int64_t i = 0; i < chain_.elements(); ++i) {
        const auto product = [&](int64_t j) {
          return a[i / kSide * kSide + j] * b[j * kSide + i % kSide];
        };
        AppendSum(product, sums, magnitude);
        value.push_back(sums.back() * kDotScale);
      }
      OwnOfSums(step, magnitude, 2 * kSide);  // additions may truncate
      break;
    case StepForm::kRowMean:
      for (int64_t row = 0; row < kSide; ++row) {
        AppendSum([&](int64_t j) { return a[row * kSide + j]; }, sums, magnitude);
        value.insert(value.end(), kSide, sums.back() * kMeanScale);
      }
      OwnOfSums(step, magnitude, kSide - 1);
      break;
  }
  rounding_.push_back(std::move(sums));
  values_.push_back(std::move(value));
}

// The weight of the step's value, handed on to its operands.
void FirstOrder::Push(size_t step, const Array& weight, std::vector<Array>& weights) const {
  const Chain::Step& s = chain_.steps[step];
  const Array &a = values_[s.a], &b = values_[s.b];
  for (size_t i = 0; i < weight.size(); ++i) {
    if (weight[i] == 0) continue;
    const size_t row = i / kSide * kSide, column = i % kSide;
    switch (s.operation->form) {
      case StepForm::kEach:
        weights[s.a][i] += weight[i] * s.operation->slope(a[i], b[i], 0);
        if (s.operation->operands == 2)
          weights[s.b][i] += weight[i] * s.operation->slope(a[i], b[i], 1);
        break;
      case StepForm::kDot:
        for (size_t j = 0; j < kSide; ++j) {
          weights[s.a][row + j] += weight[i] * kDotScale * b[j * kSide + column];
          weights[s.b][j * kSide + column] += weight[i] * kDotScale * a[row + j];
        }
        break;
      case StepForm::kRowMean:
        for (size_t j = 0; j < kSide; ++j) weights[s.a][row + j] += weight[i] * kMeanScale;
        break;
    }
  }
}

double FirstOrder::Worst(int64_t element) const {
  std::vector<Array> weights(values_.size(), Array(chain_.elements(), 0));
  weights.back()[element] = 1;
  Real worst = 0;
  for (size_t step = chain_.steps.size(); step-- > 0;) {
    const Array& weight = weights[step + 2];
    const StepForm form = chain_.steps[step].operation->form;
    // What the readers of one rounded number hand back to it adds up before its size counts.
    Array of_rounding(own_[step].size(), 0);
    for (size_t i = 0; i < weight.size(); ++i) {
      of_rounding[form == StepForm::kRowMean ? i / kSide : i] += weight[i];
    }
    const Real scale = form == StepForm::kDot       ? kDotScale
                       : form == StepForm::kRowMean ? kMeanScale
                                                    : 1;
    for (size_t i = 0; i < of_rounding.size(); ++i) {
      worst += std::fabs(of_rounding[i]) * scale * own_[step][i];
    }
    Push(step, weight, weights);
  }
  return static_cast<double>(worst);
}

}  // namespace hlocts::tools
