#include "spec/proto/accuracy_text.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/ir/decimal.h"
#include "spec/ir/index_util.h"

namespace hlocts {
namespace {

// More devices than this are refused: an iota of a few bytes would fill the memory.
constexpr int64_t kDevicesMax = int64_t{1} << 20;

std::string Shortest(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  std::string text;
  AppendFloat(PrimitiveType::kF64, bits, &text);
  return text;
}

absl::Status ToleranceToProto(absl::string_view fields, proto::ResultAccuracy::Tolerance* out) {
  for (absl::string_view field : absl::StrSplit(fields, ',')) {
    std::pair<absl::string_view, absl::string_view> part =
        absl::StrSplit(absl::StripAsciiWhitespace(field), absl::MaxSplits('=', 1));
    double number = 0;
    int64_t count = 0;
    bool known = part.first == "ulps" ? absl::SimpleAtoi(part.second, &count)
                                      : absl::SimpleAtod(part.second, &number);
    if (part.first == "atol") {
      out->set_atol(number);
    } else if (part.first == "rtol") {
      out->set_rtol(number);
    } else if (part.first == "ulps") {
      out->set_ulps(count);
    } else {
      known = false;
    }
    if (!known) return InvalidInput("result_accuracy: expected atol, rtol or ulps, found '", field, "'");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ResultAccuracyToProto(absl::string_view text, proto::HloInstructionProto* out) {
  absl::string_view inside = absl::StripAsciiWhitespace(text);
  bool braced = absl::ConsumePrefix(&inside, "{") && absl::ConsumeSuffix(&inside, "}");
  proto::ResultAccuracy* accuracy = out->mutable_result_accuracy();
  if (braced && inside == "mode=default") {
    accuracy->set_mode(proto::ResultAccuracy::DEFAULT);
  } else if (braced && inside == "mode=highest") {
    accuracy->set_mode(proto::ResultAccuracy::HIGHEST);
  } else if (braced && absl::ConsumePrefix(&inside, "tolerance={") &&
             absl::ConsumeSuffix(&inside, "}")) {
    return ToleranceToProto(inside, accuracy->mutable_tolerance());
  } else {
    return InvalidInput("result_accuracy: expected {mode=...} or {tolerance={...}}, found ", text);
  }
  return absl::OkStatus();
}

std::string ResultAccuracyFromProto(const proto::HloInstructionProto& proto) {
  const proto::ResultAccuracy& accuracy = proto.result_accuracy();
  if (accuracy.has_tolerance()) {
    return absl::StrCat("{tolerance={atol=", Shortest(accuracy.tolerance().atol()),
                        ",rtol=", Shortest(accuracy.tolerance().rtol()),
                        ",ulps=", accuracy.tolerance().ulps(), "}}");
  }
  if (accuracy.specs_case() != proto::ResultAccuracy::kMode) return "";
  return accuracy.mode() == proto::ResultAccuracy::HIGHEST ? "{mode=highest}" : "{mode=default}";
}

absl::Status ExpandIotaGroups(ReplicaGroups* groups) {
  int64_t rows = groups->iota_dimensions[0], columns = groups->iota_dimensions[1];
  Shape reshaped(PrimitiveType::kPred, groups->iota_reshape_dims);
  std::vector<int64_t> order = groups->iota_transpose_permutation;
  if (order.empty()) {
    order.resize(reshaped.dimensions().size());
    std::iota(order.begin(), order.end(), 0);
  }
  bool negative = rows < 0 || columns < 0;
  for (int64_t size : reshaped.dimensions()) negative |= size < 0;
  Shape table(PrimitiveType::kPred, {rows, columns});
  if (negative || reshaped.ElementCount() > kDevicesMax ||
      table.ElementCount() != reshaped.ElementCount() ||
      !ValidateLayout(Layout{order}, reshaped.rank()).ok()) {
    return InvalidInput("expected an iota of replica groups that is consistent and has at most ",
                        kDevicesMax, " devices, found [", rows, ",", columns, "]<=",
                        reshaped.ToString().substr(4));
  }
  std::vector<int64_t> strides = RowMajorStrides(reshaped.dimensions());
  std::vector<int64_t> transposed, transposed_strides;
  for (int64_t d : order) {
    transposed.push_back(reshaped.dimensions()[d]);
    transposed_strides.push_back(strides[d]);
  }
  groups->groups.assign(rows, {});
  int64_t position = 0;
  ForEachIndex(transposed, [&](absl::Span<const int64_t> index) {
    groups->groups[position++ / columns].push_back(LinearIndex(index, transposed_strides));
  });
  return absl::OkStatus();
}

}  // namespace hlocts
