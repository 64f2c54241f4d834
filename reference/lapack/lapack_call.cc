// SPDX-License-Identifier: Apache-2.0
#include "reference/lapack/lapack_call.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/ir/attributes.h"
#include "spec/ir/instruction.h"

namespace hlocts::reference {
namespace {

struct Name {
  absl::string_view text;
  absl::string_view letters;  // type letters for which the routine exists
  LapackRoutine routine;
  int64_t operands;
  int64_t results;  // size of the result tuple; 0 if the result is an array
};
constexpr Name kNames[] = {
    {"potrf", "sdcz", LapackRoutine::kCholesky, 1, 2},
    {"getrf", "sdcz", LapackRoutine::kLu, 1, 3},
    {"trsm", "sdcz", LapackRoutine::kTriangularSolve, 2, 0},
    {"geqrf", "sdcz", LapackRoutine::kQr, 1, 2},
    {"orgqr", "sd", LapackRoutine::kQrProduct, 2, 0},
    {"ungqr", "cz", LapackRoutine::kQrProduct, 2, 0},
    {"syevd", "sd", LapackRoutine::kHermitianEigen, 1, 3},
    {"heevd", "cz", LapackRoutine::kHermitianEigen, 1, 3},
    {"gesdd", "sdcz", LapackRoutine::kSingularValues, 1, 5},
};

char LetterOf(PrimitiveType type) {
  if (type == PrimitiveType::kF32) return 's';
  if (type == PrimitiveType::kF64) return 'd';
  if (type == PrimitiveType::kC64) return 'c';
  return type == PrimitiveType::kC128 ? 'z' : '?';
}

const Name* NameOf(const Instruction& call, absl::string_view target) {
  if (!absl::ConsumePrefix(&target, "lapack_") || !absl::ConsumeSuffix(&target, "_ffi")) {
    return nullptr;
  }
  const char letter = target.empty() ? '?' : target.front();
  target.remove_prefix(target.empty() ? 0 : 1);
  for (const Name& name : kNames) {
    const int64_t results =
        call.shape().IsTuple() ? static_cast<int64_t>(call.shape().tuple_shapes().size()) : 0;
    if (name.text == target && absl::StrContains(name.letters, letter) &&
        call.operand_count() == name.operands && results == name.results &&
        LetterOf(call.operand(0).shape().element_type()) == letter &&
        call.operand(0).shape().rank() >= 2) {
      return &name;
    }
  }
  return nullptr;
}

// Returns the letter of `key` in a dictionary such as {mode = 86 : ui8, uplo = 76 : ui8}, or 0.
char LetterIn(absl::string_view dictionary, absl::string_view key) {
  dictionary = absl::StripSuffix(absl::StripPrefix(dictionary, "{"), "}");
  for (absl::string_view entry : absl::StrSplit(dictionary, ',')) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    if (absl::StripAsciiWhitespace(sides.first) != key) continue;
    const std::vector<absl::string_view> value = absl::StrSplit(sides.second, ':');
    int number = 0;
    if (absl::SimpleAtoi(absl::StripAsciiWhitespace(value[0]), &number) && number > 0) {
      return static_cast<char>(number);
    }
  }
  return 0;
}

// Reads the letter of `key` into `letter`. Returns false if it is not one of `known`.
bool Take(absl::string_view dictionary, absl::string_view key, absl::string_view known,
          char& letter) {
  letter = LetterIn(dictionary, key);
  return letter != 0 && absl::StrContains(known, letter);
}

bool TakeAttributes(absl::string_view dictionary, LapackCall& call) {
  char uplo = 'L', side = 'L', diag = 'N';
  bool known = true;
  switch (call.routine) {
    case LapackRoutine::kCholesky:
      known = Take(dictionary, "uplo", "LU", uplo);
      break;
    case LapackRoutine::kTriangularSolve:
      known = Take(dictionary, "uplo", "LU", uplo) && Take(dictionary, "side", "LR", side) &&
              Take(dictionary, "diag", "NU", diag) &&
              Take(dictionary, "trans_x", "NTC", call.transpose);
      break;
    case LapackRoutine::kHermitianEigen:
      known = Take(dictionary, "uplo", "LU", uplo) && Take(dictionary, "mode", "NV", call.job);
      break;
    case LapackRoutine::kSingularValues:
      known = Take(dictionary, "mode", "ASN", call.job);
      break;
    case LapackRoutine::kLu:
    case LapackRoutine::kQr:
    case LapackRoutine::kQrProduct:
      break;
  }
  call.lower = uplo == 'L';
  call.left = side == 'L';
  call.unit = diag == 'U';
  return known;
}

}  // namespace

std::optional<LapackCall> LapackCallOf(const Instruction& custom_call) {
  const std::string* target = custom_call.Get<std::string>(Attr::kCustomCallTarget);
  const Name* name = target == nullptr ? nullptr : NameOf(custom_call, *target);
  if (name == nullptr) return std::nullopt;
  const RawText* config = custom_call.Get<RawText>(Attr::kBackendConfig);
  LapackCall call;
  call.routine = name->routine;
  if (!TakeAttributes(config == nullptr ? "" : absl::string_view(config->text), call)) {
    return std::nullopt;
  }
  return call;
}

}  // namespace hlocts::reference
