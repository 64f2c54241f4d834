// SPDX-License-Identifier: Apache-2.0
#include "spec/ops/custom_calls.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/ir/instruction.h"
#include "spec/ops/op_facts.h"

namespace hlocts {
namespace {

struct TargetRow {
  absl::string_view target;
  ShardingCall call;
};
constexpr TargetRow kTargets[] = {
    {"Sharding", ShardingCall::kAnnotation},
    {"xla.sdy.FuncResultSharding", ShardingCall::kAnnotation},
    {"xla.sdy.PropagationBarrier", ShardingCall::kAnnotation},
    {"xla.sdy.ShardingGroup", ShardingCall::kAnnotation},
    {"MoveToHost", ShardingCall::kAnnotation},
    {"MoveToDevice", ShardingCall::kAnnotation},
    {"annotate_device_placement", ShardingCall::kAnnotation},
    {"LayoutConstraint", ShardingCall::kAnnotation},
    {"SPMDFullToShardShape", ShardingCall::kFullToShard},
    {"xla.sdy.GlobalToLocalShape", ShardingCall::kFullToShard},
    {"SPMDShardToFullShape", ShardingCall::kShardToFull},
    {"xla.sdy.LocalToGlobalShape", ShardingCall::kShardToFull},
};

struct Name {
  absl::string_view text;
  absl::string_view letters;  // type letters for which the row holds
  LapackRoutine routine;
  absl::string_view sizes;       // LapackCall::sizes
  absl::string_view attributes;  // required ones: "name:LETTERS" for letters, "name" for a number
};
constexpr Name kNames[] = {
    {"potrf", "sdcz", LapackRoutine::kCholesky, "nn>nn,", "uplo:LU"},
    {"getrf", "sdcz", LapackRoutine::kLu, "mn>mn,k,", ""},
    {"trsm", "sdcz", LapackRoutine::kTriangularSolve, "mm,xy>xy",
     "uplo:LU side:LR diag:NU trans_x:NTC"},
    {"geqrf", "sdcz", LapackRoutine::kQr, "mn>mn,k", ""},
    {"geqp3", "sdcz", LapackRoutine::kPivotedQr, "mn,n>mn,n,k", ""},
    {"orgqr", "sd", LapackRoutine::kQrProduct, "mn,t>mn", ""},
    {"ungqr", "cz", LapackRoutine::kQrProduct, "mn,t>mn", ""},
    {"ormqr", "sd", LapackRoutine::kQrApply, "mn,t,xy>xy", "left transpose"},
    {"unmqr", "cz", LapackRoutine::kQrApply, "mn,t,xy>xy", "left transpose"},
    {"syevd", "sd", LapackRoutine::kHermitianEigen, "nn>nn,n,", "uplo:LU mode:NV"},
    {"heevd", "cz", LapackRoutine::kHermitianEigen, "nn>nn,n,", "uplo:LU mode:NV"},
    {"gesdd", "sdcz", LapackRoutine::kSingularValues, "mn>mn,k,mu,vn,", "mode:ASN"},
    {"gesvd", "sdcz", LapackRoutine::kSingularValues, "mn>mn,k,mu,vn,", "mode:ASN"},
    {"gehrd", "sdcz", LapackRoutine::kHessenberg, "nn>nn,h,", "low high"},
    {"sytrd", "sd", LapackRoutine::kTridiagonal, "nn>nn,n,h,h,", "uplo:LU"},
    {"hetrd", "cz", LapackRoutine::kTridiagonal, "nn>nn,n,h,h,", "uplo:LU"},
    {"gtsv", "sdcz", LapackRoutine::kTridiagonalSolve, "n,n,n,nr>n,n,n,nr,", ""},
    {"gees", "sd", LapackRoutine::kSchur, "nn>nn,nn,n,n,,", "mode:NV sort:N"},
    {"gees", "cz", LapackRoutine::kSchur, "nn>nn,nn,n,,", "mode:NV sort:N"},
    {"geev", "sd", LapackRoutine::kEigen, "nn>n,n,nn,nn,", "compute_left:NV compute_right:NV"},
    {"geev", "cz", LapackRoutine::kEigen, "nn>n,nn,nn,", "compute_left:NV compute_right:NV"},
};

char LetterOf(PrimitiveType type) {
  if (type == PrimitiveType::kF32) return 's';
  if (type == PrimitiveType::kF64) return 'd';
  if (type == PrimitiveType::kC64) return 'c';
  return type == PrimitiveType::kC128 ? 'z' : '?';
}

const Name* NameOf(const Instruction& call, absl::string_view target) {
  if (!absl::ConsumePrefix(&target, "lapack_") || !absl::ConsumeSuffix(&target, "_ffi") ||
      target.empty() || call.operand_count() == 0 || !call.operand(0).shape().IsArray() ||
      LetterOf(call.operand(0).shape().element_type()) != target.front()) {
    return nullptr;
  }
  for (const Name& name : kNames) {
    if (name.text != target.substr(1) || !absl::StrContains(name.letters, target.front())) continue;
    const std::pair<absl::string_view, absl::string_view> sides = absl::StrSplit(name.sizes, '>');
    const auto count = [](absl::string_view list) {
      return 1 + std::count(list.begin(), list.end(), ',');
    };
    const bool tuple = count(sides.second) > 1;
    if (call.operand_count() == count(sides.first) && call.shape().IsTuple() == tuple &&
        (!tuple || std::ssize(call.shape().tuple_shapes()) == count(sides.second))) {
      return &name;
    }
  }
  return nullptr;
}

// Returns the number of `key` in a dictionary such as {left = true, uplo = 76 : ui8}, or -1.
int64_t NumberIn(absl::string_view dictionary, absl::string_view key) {
  dictionary = absl::StripSuffix(absl::StripPrefix(dictionary, "{"), "}");
  for (absl::string_view entry : absl::StrSplit(dictionary, ',')) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    if (absl::StripAsciiWhitespace(sides.first) != key) continue;
    const std::vector<absl::string_view> value = absl::StrSplit(sides.second, ':');
    const absl::string_view text = absl::StripAsciiWhitespace(value[0]);
    int64_t number = 0;
    if (text == "true" || text == "false") return text == "true" ? 1 : 0;
    return absl::SimpleAtoi(text, &number) ? number : -1;
  }
  return -1;
}

// Checks shapes against LapackCall::sizes. The first occurrence of a letter determines its size.
class LapackShapes {
 public:
  LapackShapes(const LapackCall& call, const Instruction& custom_call)
      : call_(call), custom_call_(custom_call) {}

  absl::Status Check() {
    const std::pair<absl::string_view, absl::string_view> sides = absl::StrSplit(call_.sizes, '>');
    const std::vector<absl::string_view> operands = absl::StrSplit(sides.first, ',');
    const Shape& first = custom_call_.operand(0).shape();
    leading_ = LeadingDimensions(call_, first);
    for (size_t i = 0; i < operands.size(); ++i) {
      HLOCTS_RETURN_IF_ERROR(Expect(absl::StrCat("operand ", i), operands[i],
                                    custom_call_.operand(static_cast<int64_t>(i)).shape()));
      if (i == 0) AddDerivedSizes();
    }
    const std::vector<absl::string_view> results = absl::StrSplit(sides.second, ',');
    for (size_t i = 0; i < results.size(); ++i) {
      const Shape& shape = custom_call_.shape();
      HLOCTS_RETURN_IF_ERROR(Expect(absl::StrCat("result ", i), results[i],
                                    shape.IsTuple() ? shape.tuple_shapes()[i] : shape));
    }
    // A reflector is as long as a column, and the product has at least one column per reflector.
    if (sizes_.contains('t') && (sizes_['t'] > sizes_['n'] || sizes_['n'] > sizes_['m'])) {
      return InvalidInput(custom_call_.name(), ": expected at most ", sizes_['k'],
                          " reflectors in as many columns, found ", sizes_['t'], " in ",
                          first.ToString(false));
    }
    return absl::OkStatus();
  }

 private:
  void AddDerivedSizes() {
    if (!sizes_.contains('m')) sizes_['m'] = sizes_['n'];
    if (!sizes_.contains('n')) sizes_['n'] = sizes_['m'];
    const int64_t m = sizes_['m'], n = sizes_['n'], k = std::min(m, n);
    sizes_['k'] = k;
    sizes_['h'] = std::max<int64_t>(n - 1, 0);
    sizes_[call_.left ? 'x' : 'y'] = m;
    if (call_.routine != LapackRoutine::kSingularValues || call_.job == 'N') return;
    sizes_['u'] = call_.job == 'S' ? k : m;
    sizes_['v'] = call_.job == 'S' ? k : n;
  }

  absl::Status Expect(absl::string_view of, absl::string_view letters, const Shape& found) {
    const absl::Span<const int64_t> batches =
        absl::MakeSpan(custom_call_.operand(0).shape().dimensions())
            .subspan(0, static_cast<size_t>(std::max<int64_t>(leading_, 0)));
    bool fits = leading_ >= 0 && found.IsArray() &&
                found.rank() == leading_ + std::ssize(letters) &&
                absl::MakeSpan(found.dimensions()).subspan(0, batches.size()) == batches;
    std::vector<std::string> expected;
    for (int64_t size : batches) expected.push_back(absl::StrCat(size));
    for (int64_t i = 0; i < std::ssize(letters); ++i) {
      if (fits) sizes_.try_emplace(letters[i], found.dimension(leading_ + i));
      fits = fits && sizes_[letters[i]] == found.dimension(leading_ + i);
      expected.push_back(sizes_.contains(letters[i]) ? absl::StrCat(sizes_[letters[i]]) : "?");
    }
    if (fits) return absl::OkStatus();
    return InvalidInput(custom_call_.name(), ": expected ", of, " of dimensions [",
                        absl::StrJoin(expected, ","), "], found ", found.ToString(false));
  }

  const LapackCall& call_;
  const Instruction& custom_call_;
  int64_t leading_ = 0;
  std::map<char, int64_t> sizes_;
};

}  // namespace

bool HasSideEffect(const Instruction& instruction) {
  return FactsOf(instruction.opcode()).Has(trait::kSideEffect) ||
         instruction.BoolOr(Attr::kCustomCallHasSideEffect, false);
}

std::optional<ShardingCall> ShardingCallOf(const Instruction& instruction) {
  const std::string* target = instruction.Get<std::string>(Attr::kCustomCallTarget);
  if (target == nullptr) return std::nullopt;
  for (const TargetRow& row : kTargets) {
    if (row.target == *target) return row.call;
  }
  return std::nullopt;
}

std::optional<LapackCall> LapackCallOf(const Instruction& custom_call) {
  const std::string* target = custom_call.Get<std::string>(Attr::kCustomCallTarget);
  const Name* name = target == nullptr ? nullptr : NameOf(custom_call, *target);
  if (name == nullptr) return std::nullopt;
  const RawText* config = custom_call.Get<RawText>(Attr::kBackendConfig);
  std::map<absl::string_view, int64_t> given;
  for (absl::string_view attribute : absl::StrSplit(name->attributes, ' ', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> key =
        absl::StrSplit(attribute, absl::MaxSplits(':', 1));
    const int64_t value = NumberIn(config == nullptr ? "" : config->text, key.first);
    const std::string letter(1, static_cast<char>(value));
    if (value < 0 || value > INT32_MAX) return std::nullopt;
    if (!key.second.empty() && (value > 127 || !absl::StrContains(key.second, letter))) {
      return std::nullopt;
    }
    given[key.first] = value;
  }
  const auto is = [&](absl::string_view key, int64_t value) {
    return given.contains(key) && given[key] == value;
  };
  // With other bounds, the routine reduces only a block of the matrix, which is not supported.
  if (given.contains("low") &&
      !(is("low", 1) && is("high", custom_call.operand(0).shape().dimension(-1)))) {
    return std::nullopt;
  }
  LapackCall call{.routine = name->routine, .sizes = name->sizes};
  call.complex = IsComplex(custom_call.operand(0).shape().element_type());
  call.lower = !is("uplo", 'U');
  call.left = !is("side", 'R') && !is("left", 0);
  call.unit = is("diag", 'U');
  call.transpose = is("transpose", 1) ? 'C' : 'N';
  if (given.contains("trans_x")) call.transpose = static_cast<char>(given["trans_x"]);
  if (given.contains("mode")) call.job = static_cast<char>(given["mode"]);
  if (is("compute_right", 'N')) call.job = 'N';
  call.left_vectors = !is("compute_left", 'N');
  return call;
}

absl::Status CheckLapackShapes(const LapackCall& call, const Instruction& custom_call) {
  return LapackShapes(call, custom_call).Check();
}

int64_t LeadingDimensions(const LapackCall& call, const Shape& first_operand) {
  return first_operand.rank() - static_cast<int64_t>(call.sizes.find_first_of(",>"));
}

int64_t BatchCount(const LapackCall& call, const Shape& first_operand) {
  if (first_operand.ElementCount() == 0) return 0;
  int64_t count = 1;
  for (int64_t d = 0; d < LeadingDimensions(call, first_operand); ++d)
    count *= first_operand.dimension(d);
  return count;
}

}  // namespace hlocts
