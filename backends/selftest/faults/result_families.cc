// SPDX-License-Identifier: Apache-2.0
// Families of faults in results: elements and leaves are wrong, moved, lost or rounded.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault_family.h"
#include "spec/ir/index_util.h"

namespace hlocts::backends {
namespace {

std::vector<std::string> Whole(const Instruction& instruction) {
  return instruction.shape().IsArray() ? std::vector<std::string>{""} : std::vector<std::string>();
}
std::vector<std::string> Floats(const Instruction& instruction) {
  bool is_float = instruction.shape().IsArray() && IsFloat(instruction.shape().element_type());
  return is_float ? std::vector<std::string>{""} : std::vector<std::string>();
}
std::vector<std::string> EachDimension(const Instruction& instruction) {
  std::vector<std::string> parameters;
  if (!instruction.shape().IsArray()) return parameters;
  for (int64_t d = 0; d < instruction.shape().rank(); ++d) {
    if (instruction.shape().dimension(d) > 1) parameters.push_back(absl::StrCat(d));
  }
  return parameters;
}
std::vector<std::string> EachLikeResult(const Instruction& instruction) {
  std::vector<std::string> parameters;
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    if (instruction.operand(k).shape().CompatibleWith(instruction.shape())) {
      parameters.push_back(absl::StrCat(k));
    }
  }
  return parameters;
}
std::vector<std::string> EachLeaf(const Instruction& instruction) {
  std::vector<std::string> parameters;
  if (!instruction.shape().IsTuple()) return parameters;
  for (size_t i = 0; i < LeafShapes(instruction.shape()).size(); ++i) {
    if (LeafShapes(instruction.shape())[i].IsArray()) parameters.push_back(absl::StrCat(i));
  }
  return parameters;
}
std::vector<std::string> EachTwoLeaves(const Instruction& instruction) {
  std::vector<std::string> parameters;
  if (!instruction.shape().IsTuple()) return parameters;
  std::vector<Shape> leaves = LeafShapes(instruction.shape());
  for (size_t i = 0; i < leaves.size(); ++i) {
    for (size_t j = i + 1; j < leaves.size(); ++j) {
      if (leaves[i].CompatibleWith(leaves[j])) parameters.push_back(absl::StrCat(i, "-", j));
    }
  }
  return parameters;
}

// Makes a fault that applies `change` to a result that is an array.
bool PlantChange(const std::string& parameter, Fault& fault, void (*change)(Literal&)) {
  if (!parameter.empty()) return false;
  fault.after = [change](FaultSite& site) {
    if (IsStoredArray(*site.result)) change(*site.result);
  };
  return true;
}

void ChangeNumber(Literal& result, int64_t i) {
  double value = ReadNumber(result, i);
  bool far = IsFloat(NumberType(result)) && (!std::isfinite(value) || std::abs(value) > 100);
  WriteNumber(result, i,
              NumberType(result) == PrimitiveType::kPred ? value == 0
              : far && std::isfinite(value)              ? value / 2
              : far                                      ? 1
                                                         : value + 1);
}
void FirstWrong(Literal& result) {
  if (NumberCount(result) > 0) ChangeNumber(result, 0);
}
void LastWrong(Literal& result) {
  if (NumberCount(result) > 0) ChangeNumber(result, NumberCount(result) - 1);
}
void Negated(Literal& result) {
  for (int64_t i = 0; i < NumberCount(result); ++i) WriteNumber(result, i, -ReadNumber(result, i));
}
void Magnitude(Literal& result) {
  for (int64_t i = 0; i < NumberCount(result); ++i) {
    WriteNumber(result, i, std::abs(ReadNumber(result, i)));
  }
}
void NanIsZero(Literal& result) {
  for (int64_t i = 0; i < NumberCount(result); ++i) {
    if (std::isnan(ReadNumber(result, i))) WriteNumber(result, i, 0);
  }
}
void InfiniteIsNan(Literal& result) {
  for (int64_t i = 0; i < NumberCount(result); ++i) {
    if (std::isinf(ReadNumber(result, i))) WriteNumber(result, i, NAN);
  }
}
void MinusZeroLost(Literal& result) {
  for (int64_t i = 0; i < NumberCount(result); ++i) {
    if (ReadNumber(result, i) == 0) WriteNumber(result, i, 0);
  }
}
void FourBits(Literal& result) {
  for (int64_t i = 0; i < NumberCount(result); ++i) {
    WriteNumber(result, i, TruncateTo(4, ReadNumber(result, i)));
  }
}

// Makes a fault by which each index along one dimension reads the index that `from` returns.
bool PlantAlong(const std::string& parameter, Fault& fault, int64_t (*from)(int64_t, int64_t)) {
  std::vector<int64_t> d = NumbersOfParameter(parameter, 1);
  if (d.empty()) return false;
  fault.after = [d = d[0], from](FaultSite& site) {
    Literal& result = *site.result;
    if (!IsStoredArray(result) || d >= result.shape().rank()) return;
    const std::vector<int64_t>& sizes = result.shape().dimensions();
    const int64_t stride = RowMajorStrides(sizes)[d], size = sizes[d];
    const Literal right = result;
    for (int64_t i = 0; i < result.element_count(); ++i) {
      int64_t index = i / stride % size;
      CopyElement(right, i + (from(index, size) - index) * stride, result, i);
    }
  };
  return true;
}
bool PlantReversedAlong(const std::string& parameter, Fault& fault) {
  return PlantAlong(parameter, fault, [](int64_t i, int64_t size) { return size - 1 - i; });
}
bool PlantMovedAlong(const std::string& parameter, Fault& fault) {
  return PlantAlong(parameter, fault, [](int64_t i, int64_t size) { return (i + 1) % size; });
}
bool PlantFirstAlong(const std::string& parameter, Fault& fault) {
  return PlantAlong(parameter, fault, [](int64_t, int64_t) { return int64_t{0}; });
}

bool PlantOperand(const std::string& parameter, Fault& fault) {
  std::vector<int64_t> k = NumbersOfParameter(parameter, 1);
  if (k.empty()) return false;
  fault.after = [at = static_cast<size_t>(k[0])](FaultSite& site) {
    if (at >= site.operands.size()) return;
    if (site.operands[at].shape().CompatibleWith(site.result->shape())) {
      *site.result = site.operands[at];
    }
  };
  return true;
}

// Makes a fault that applies `change` to the leaves of a tuple.
template <typename Change>
void PlantLeaves(Fault& fault, Change change) {
  fault.after = [change](FaultSite& site) {
    if (!site.result->shape().IsTuple()) return;
    std::vector<Literal> leaves = FlattenLeaves(*site.result);
    if (!change(leaves)) return;
    auto whole = UnflattenLeaves(site.result->shape(), std::move(leaves));
    if (whole.ok()) *site.result = *std::move(whole);
  };
}
bool PlantLeafZero(const std::string& parameter, Fault& fault) {
  std::vector<int64_t> k = NumbersOfParameter(parameter, 1);
  if (k.empty()) return false;
  PlantLeaves(fault, [at = static_cast<size_t>(k[0])](std::vector<Literal>& leaves) {
    if (at >= leaves.size() || !IsStoredArray(leaves[at])) return false;
    ZeroElements(leaves[at]);
    return true;
  });
  return true;
}
bool PlantLeafWrong(const std::string& parameter, Fault& fault) {
  std::vector<int64_t> k = NumbersOfParameter(parameter, 1);
  if (k.empty()) return false;
  PlantLeaves(fault, [at = static_cast<size_t>(k[0])](std::vector<Literal>& leaves) {
    if (at >= leaves.size() || !IsStoredArray(leaves[at])) return false;
    LastWrong(leaves[at]);
    return true;
  });
  return true;
}
bool PlantLeavesExchanged(const std::string& parameter, Fault& fault) {
  std::vector<int64_t> k = NumbersOfParameter(parameter, 2);
  if (k.empty()) return false;
  PlantLeaves(fault, [i = static_cast<size_t>(k[0]),
                      j = static_cast<size_t>(k[1])](std::vector<Literal>& leaves) {
    if (std::max(i, j) >= leaves.size()) return false;
    if (!leaves[i].shape().CompatibleWith(leaves[j].shape())) return false;
    std::swap(leaves[i], leaves[j]);
    return true;
  });
  return true;
}

// Makes a fault by which every instruction of a device's run returns what the first one returned.
bool PlantFirstAgain(const std::string& parameter, Fault& fault) {
  if (!parameter.empty()) return false;
  fault.after = [](FaultSite& site) {
    auto [first, is_new] = site.memory.values.emplace(nullptr, *site.result);
    if (!is_new && first->second.shape().CompatibleWith(site.result->shape())) {
      *site.result = first->second;
    }
  };
  return true;
}
std::vector<std::string> Always(const Instruction&) { return {""}; }

template <void (*change)(Literal&)>
bool Plant(const std::string& parameter, Fault& fault) {
  return PlantChange(parameter, fault, change);
}

constexpr FaultFamily kFamilies[] = {
    {"result-zero", FaultClass::kStaleBuffer, "the result is zeros", Whole, Plant<ZeroElements>},
    {"result-reversed", FaultClass::kMovement, "elements in reverse order", Whole,
     Plant<ReverseElements>},
    {"result-first-wrong", FaultClass::kNumericError, "the first element is wrong", Whole,
     Plant<FirstWrong>},
    {"result-last-wrong", FaultClass::kDroppedTail, "the last element is wrong", Whole,
     Plant<LastWrong>},
    {"result-negated", FaultClass::kNumericError, "the other sign", Whole, Plant<Negated>},
    {"result-magnitude", FaultClass::kNumericError, "the sign is lost", Whole, Plant<Magnitude>},
    {"result-nan-is-zero", FaultClass::kNan, "0 for NaN", Floats, Plant<NanIsZero>},
    {"result-infinite-is-nan", FaultClass::kNan, "NaN for an infinity", Floats,
     Plant<InfiniteIsNan>},
    {"result-minus-zero-lost", FaultClass::kSignedZero, "+0 for -0", Floats, Plant<MinusZeroLost>},
    {"result-four-bits", FaultClass::kNumericError, "truncated to four significant bits", Floats,
     Plant<FourBits>},
    {"result-reversed-along", FaultClass::kMovement, "reversed along dimension", EachDimension,
     PlantReversedAlong},
    {"result-moved-along", FaultClass::kMovement, "moved by one along dimension", EachDimension,
     PlantMovedAlong},
    {"result-first-along", FaultClass::kMovement, "reads index 0 for all; dimension", EachDimension,
     PlantFirstAlong},
    {"result-is-operand", FaultClass::kStaleBuffer, "returns an operand unchanged", EachLikeResult,
     PlantOperand},
    {"result-leaf-zero", FaultClass::kStaleBuffer, "zeros for leaf", EachLeaf, PlantLeafZero},
    {"result-leaf-wrong", FaultClass::kNumericError, "the last element is wrong; leaf", EachLeaf,
     PlantLeafWrong},
    {"result-leaves-exchanged", FaultClass::kSwappedOperands, "two leaves are swapped",
     EachTwoLeaves, PlantLeavesExchanged},
    {"result-of-first", FaultClass::kStaleBuffer,
     "every instruction returns the value of the first", Always, PlantFirstAgain},
};

}  // namespace

absl::Span<const FaultFamily> ResultFamilies() { return kFamilies; }

}  // namespace hlocts::backends
