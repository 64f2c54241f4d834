// SPDX-License-Identifier: Apache-2.0
#include "spec/proto/attribute_text.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/ir/decimal.h"

namespace hlocts {
namespace {

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
    if (!known)
      return InvalidInput("result_accuracy: expected atol, rtol or ulps, found '", field, "'");
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

namespace {

// Parses a node: "(" node, node, ... ")" | "{" ["name" [{index, ...}]] "}"
class OriginalValueParser {
 public:
  OriginalValueParser(absl::string_view text, proto::OriginalValueProto* out)
      : rest_(text), out_(out) {}

  bool Parse() {
    if (!Consume("{")) return false;
    if (Consume("[synthetic_call]")) {
      out_->set_is_synthetic_call(true);
    } else if (!Node()) {
      return false;
    }
    return Consume("}") && absl::StripAsciiWhitespace(rest_).empty();
  }

 private:
  bool Consume(absl::string_view token) {
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return absl::ConsumePrefix(&rest_, token);
  }

  bool Node() {
    if (Consume("{")) return Leaf();
    if (!Consume("(") || index_.size() > 64) return false;
    index_.push_back(0);
    while (!Consume(")")) {
      if (index_.back() > 0 && !Consume(",")) return false;
      if (!Node()) return false;
      ++index_.back();
    }
    index_.pop_back();
    return true;
  }

  bool Leaf() {
    proto::OriginalValueElementProto* element = out_->add_elements();
    for (int64_t i : index_) element->add_shape_index(i);
    if (Consume("}")) return true;
    if (!Consume("\"")) return false;
    size_t end = rest_.find('"');
    if (end == absl::string_view::npos) return false;
    element->mutable_original_array()->set_instruction_name(std::string(rest_.substr(0, end)));
    rest_.remove_prefix(end + 1);
    if (!Consume("{")) return Consume("}");
    size_t close = rest_.find('}');
    if (close == absl::string_view::npos) return false;
    for (absl::string_view word : absl::StrSplit(rest_.substr(0, close), ',', absl::SkipEmpty())) {
      int64_t number;
      if (!absl::SimpleAtoi(word, &number)) return false;
      element->mutable_original_array()->add_shape_index(number);
    }
    rest_.remove_prefix(close + 1);
    return Consume("}");
  }

  absl::string_view rest_;
  proto::OriginalValueProto* out_;
  std::vector<int64_t> index_;
};

std::string LeafText(const proto::OriginalValueElementProto& element) {
  if (!element.has_original_array()) return "{}";
  const proto::OriginalArrayProto& array = element.original_array();
  std::string text = absl::StrCat("{\"", array.instruction_name(), "\"");
  if (!array.shape_index().empty()) {
    absl::StrAppend(&text, " {", absl::StrJoin(array.shape_index(), ","), "}");
  }
  return text + "}";
}

// Prints the subtree of element *next. It consists of the elements from *next on whose index has
// the same first `depth` numbers. Moves *next past the subtree.
std::string NodeText(const proto::OriginalValueProto& proto, int* next, int depth) {
  const auto& first = proto.elements(*next);
  if (first.shape_index_size() <= depth) return LeafText(proto.elements((*next)++));
  std::string text = "(";
  while (*next < proto.elements_size()) {
    const auto& index = proto.elements(*next).shape_index();
    bool inside = index.size() > depth &&
                  std::equal(index.begin(), index.begin() + depth, first.shape_index().begin());
    if (!inside) break;
    if (text.size() > 1) text += ", ";
    text += NodeText(proto, next, depth + 1);
  }
  return text + ")";
}

}  // namespace

bool OriginalValueToProto(absl::string_view text, proto::OriginalValueProto* out) {
  if (OriginalValueParser(text, out).Parse()) return true;
  out->Clear();
  return false;
}

std::string OriginalValueFromProto(const proto::OriginalValueProto& proto) {
  for (const auto& element : proto.elements()) {
    if (element.shape_index_size() > 64) return "";
  }
  std::string text = "{()}";
  if (proto.is_synthetic_call()) text = "{[synthetic_call]}";
  int next = 0;
  if (proto.elements_size() > 0) text = absl::StrCat("{", NodeText(proto, &next, 0), "}");
  // Checks that the text loses nothing. Elements out of order, names with quotes, and unknown
  // fields would be lost.
  proto::OriginalValueProto again;
  bool same =
      OriginalValueToProto(text, &again) && again.SerializeAsString() == proto.SerializeAsString();
  return same ? text : "";
}

}  // namespace hlocts
