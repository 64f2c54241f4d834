// SPDX-License-Identifier: Apache-2.0
// Writes and reads expected.jsonl, the acceptance of each leaf as one JSON line.
//
// The first line is {"origins":[...]}. Each leaf is
// {"type","dimensions","sets":[[flags,"lo","hi",origin,term],...]}, where lo and hi are the bits of
// doubles in hexadecimal (or decimal integers) and term is a WideningCause. A run of equal sets is
// one set followed by {"repeat":n}. An exact leaf has "exact":"<bytes in hex>" instead of "sets". A
// leaf with a joint predicate also has "predicate" with its parameters. If the predicate reads an
// array from which data movement derived the leaf, "moved" has the "dimensions" of that array and
// the "places" of its elements in the leaf (-1: missing, and not read). "choices" lists the
// elements (element * components + component) with alternative sets, which are narrower than in
// "sets".
#include <cstring>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "spec/base/json_text.h"
#include "spec/judge/choices.h"
#include "spec/judge/element_text.h"
#include "spec/judge/joint.h"
#include "spec/judge/judge.h"

namespace hlocts {
namespace {

using Json = nlohmann::json;

std::string DoubleBits(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return absl::StrFormat("%016x", bits);
}

Json SetToJson(const AcceptanceSet& s) {
  std::string lo, hi;
  if (s.integer()) {
    lo = IntegerText(s.ilo);
    hi = IntegerText(s.ihi);
  } else if (s.Has(AcceptanceSet::kBitsKnown)) {
    lo = absl::StrFormat("%016x", s.nan_bits);
  } else if (s.finite()) {
    lo = DoubleBits(s.lo);
    hi = DoubleBits(s.hi);
  }
  // Pre-rounding intervals are for consumers in the module; outputs are judged by stored values.
  int flags = s.flags & ~(AcceptanceSet::kPreRounding | AcceptanceSet::kContractible |
                          AcceptanceSet::kScaledPreRounding);
  return Json::array({flags, lo, hi, s.origin, static_cast<int>(s.cause)});
}

// Returns the positions of a predicate's elements in the output, for other programs that judge. If
// the list would be too long, returns the JSON value true instead.
Json MovedJson(const MovedJoint& moved) {
  constexpr size_t kPlacesMax = 1024;
  if (moved.places.size() > kPlacesMax) return true;
  return {{"dimensions", moved.shape.dimensions()}, {"places", moved.places}};
}

Json RunsToJson(absl::Span<const AcceptanceSet> sets) {
  Json runs = Json::array(), last;
  int64_t repeat = 0;
  for (const AcceptanceSet& s : sets) {
    Json next = SetToJson(s);
    const bool again = !runs.empty() && next == last;
    repeat = again ? repeat + 1 : 0;
    if (repeat == 1) runs.push_back({{"repeat", repeat}});
    if (repeat > 1) runs.back() = {{"repeat", repeat}};
    if (!again) runs.push_back(last = std::move(next));
  }
  return runs;
}

Json LeafToJson(const LeafAcceptance& leaf) {
  Json json;
  json["shape"] = leaf.shape.ToString(false);
  if (leaf.token) {
    json["token"] = true;
    return json;
  }
  const SetArray& set = leaf.set;
  json["type"] = std::string(PrimitiveTypeName(set.element_type()));
  json["dimensions"] = set.shape().dimensions();
  json["origin"] = set.origin;
  if (!set.runtime_sizes.empty()) json["runtime_sizes"] = set.runtime_sizes;
  if (set.joint != nullptr) {
    json["predicate"] = set.joint->kind();
    Json parameters = ParseJson<Json>("{" + set.joint->ParametersJson() + "}");
    if (!parameters.is_discarded()) json["parameters"] = parameters;
    json["slot"] = set.joint_slot;
    if (set.joint_moved) json["moved"] = MovedJson(*set.joint_moved);
  }
  if (set.exact()) {
    json["nan_bits_free"] = set.nan_bits_free;
    json["zero_sign_free"] = set.zero_sign_free;
    const Literal& literal = set.literal();
    json["exact"] = absl::BytesToHexString(
        absl::string_view(reinterpret_cast<const char*>(literal.raw_data()), literal.raw_size()));
    return json;
  }
  json["sets"] = RunsToJson(set.sets());
  if (set.choices != nullptr) {
    for (const auto& [at, choices] : set.choices->all()) {
      Json& list = json["choices"][absl::StrCat(at)];
      for (const AcceptanceSet& choice : choices) list.push_back(SetToJson(choice));
    }
  }
  return json;
}

absl::Status Bad(absl::string_view what) { return InvalidInput("expected.jsonl: ", what); }

absl::StatusOr<double> DoubleFromBits(const std::string& text) {
  uint64_t bits = 0;
  if (text.size() != 16 || !absl::SimpleHexAtoi(text, &bits))
    return Bad("expected 16 hexadecimal digits");
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

absl::StatusOr<Int128> IntegerFromText(const std::string& text) {
  bool negative = !text.empty() && text[0] == '-';
  uint64_t magnitude = 0;
  if (!absl::SimpleAtoi(absl::string_view(text).substr(negative), &magnitude))
    return Bad("expected an integer");
  return negative ? -static_cast<Int128>(magnitude) : static_cast<Int128>(magnitude);
}

absl::StatusOr<AcceptanceSet> SetFromJson(const Json& json) {
  bool well_formed = json.is_array() && json.size() == 5 && json[0].is_number_integer() &&
                     json[1].is_string() && json[2].is_string() && json[3].is_number_unsigned() &&
                     json[4].is_number_unsigned();
  if (!well_formed) return Bad("expected a set [flags,lo,hi,origin,term]");
  AcceptanceSet s;
  s.flags = static_cast<uint16_t>(json[0].get<int>());
  s.origin = json[3].get<uint32_t>();
  int term = json[4].get<int>();
  if (term < 0 || term > static_cast<int>(kLastWideningCause)) return Bad("unknown term");
  s.cause = static_cast<WideningCause>(term);
  std::string lo = json[1].get<std::string>(), hi = json[2].get<std::string>();
  if (s.integer()) {
    HLOCTS_ASSIGN_OR_RETURN(s.ilo, IntegerFromText(lo));
    HLOCTS_ASSIGN_OR_RETURN(s.ihi, IntegerFromText(hi));
  } else if (s.Has(AcceptanceSet::kBitsKnown)) {
    if (!absl::SimpleHexAtoi(lo, &s.nan_bits)) return Bad("expected the bits of a NaN");
  } else if (s.finite()) {
    HLOCTS_ASSIGN_OR_RETURN(s.lo, DoubleFromBits(lo));
    HLOCTS_ASSIGN_OR_RETURN(s.hi, DoubleFromBits(hi));
    s.rlo = s.lo;
    s.rhi = s.hi;
  }
  return s;
}

// Return members of the expected type, else a default. The accessors of nlohmann::json throw.
bool BoolAt(const Json& json, const char* name) {
  return json.contains(name) && json[name].is_boolean() && json[name].get<bool>();
}
std::string TextAt(const Json& json, const char* name) {
  return json.contains(name) && json[name].is_string() ? json[name].get<std::string>() : "";
}
uint32_t NumberAt(const Json& json, const char* name) {
  return json.contains(name) && json[name].is_number_unsigned() ? json[name].get<uint32_t>() : 0;
}
absl::StatusOr<std::vector<int64_t>> SizesAt(const Json& json, const char* name) {
  if (!json.contains(name) || !json[name].is_array()) return Bad("expected a list of sizes");
  std::vector<int64_t> sizes;
  for (const Json& size : json[name]) {
    if (!size.is_number_unsigned()) return Bad("expected a size");
    sizes.push_back(size.get<int64_t>());
    if (sizes.back() < 0 || sizes.back() > (int64_t{1} << 40)) return Bad("a size is out of range");
  }
  return sizes;
}

absl::StatusOr<ChoiceMap> ChoicesFromJson(const Json& json, int64_t count) {
  ChoiceMap map;
  for (const auto& [text, list] : json.items()) {
    int64_t at = 0;
    if (!absl::SimpleAtoi(text, &at) || at < 0 || at >= count || !list.is_array()) {
      return Bad("expected choices for the index of an element");
    }
    std::vector<AcceptanceSet> sets;
    for (const Json& one : list) {
      HLOCTS_ASSIGN_OR_RETURN(AcceptanceSet set, SetFromJson(one));
      sets.push_back(set);
    }
    map.Put(at, std::move(sets));
  }
  return map;
}

absl::StatusOr<SetArray> ExactFromJson(const Json& json, const Shape& shape) {
  const std::string hex = TextAt(json, "exact");
  const bool digits =
      hex.size() % 2 == 0 && hex.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (!digits) return Bad("expected hexadecimal bytes");
  const std::string bytes = absl::HexStringToBytes(hex);
  if (static_cast<int64_t>(bytes.size()) != shape.StorageSizeBytes())
    return Bad("the number of bytes does not match the shape");
  Literal literal(shape);
  if (!bytes.empty()) std::memcpy(literal.mutable_raw_data(), bytes.data(), bytes.size());
  SetArray set(std::move(literal));
  set.nan_bits_free = BoolAt(json, "nan_bits_free");
  set.zero_sign_free = BoolAt(json, "zero_sign_free");
  return set;
}

absl::StatusOr<SetArray> SetsFromJson(const Json& json, const Shape& shape) {
  const int64_t count = shape.ElementCount() * (IsComplex(shape.element_type()) ? 2 : 1);
  std::vector<AcceptanceSet> sets;
  if (!json.contains("sets") || !json["sets"].is_array()) return Bad("expected a leaf with sets");
  for (const Json& entry : json["sets"]) {
    if (entry.is_object()) {
      const int64_t repeat = NumberAt(entry, "repeat");
      const bool fits = !sets.empty() && repeat <= count - static_cast<int64_t>(sets.size());
      if (!fits) return Bad("expected \"repeat\" after a set and within the array");
      sets.insert(sets.end(), static_cast<size_t>(repeat), AcceptanceSet(sets.back()));
      continue;
    }
    HLOCTS_ASSIGN_OR_RETURN(AcceptanceSet s, SetFromJson(entry));
    sets.push_back(s);
  }
  if (static_cast<int64_t>(sets.size()) != count) return Bad("wrong number of sets");
  SetArray set(shape, std::move(sets));
  if (json.contains("choices") && json["choices"].is_object()) {
    HLOCTS_ASSIGN_OR_RETURN(ChoiceMap choices, ChoicesFromJson(json["choices"], count));
    SetChoices(std::move(choices), set);
  }
  return set;
}

// Reads a leaf. The text of a predicate is not read, because its check needs the module.
absl::StatusOr<LeafAcceptance> LeafFromJson(const Json& json) {
  LeafAcceptance leaf;
  if (BoolAt(json, "token")) {
    leaf.token = true;
    leaf.shape = Shape::Token();
    return leaf;
  }
  auto type = PrimitiveTypeFromName(TextAt(json, "type"));
  if (!type.has_value() || !IsArrayType(*type)) return Bad("expected a leaf with an element type");
  HLOCTS_ASSIGN_OR_RETURN(std::vector<int64_t> dimensions, SizesAt(json, "dimensions"));
  Shape shape(*type, std::move(dimensions));
  if (shape.ElementCount() > (int64_t{1} << 32)) return Bad("a leaf is too large");
  leaf.shape = shape;
  if (json.contains("exact")) {
    HLOCTS_ASSIGN_OR_RETURN(leaf.set, ExactFromJson(json, shape));
  } else {
    HLOCTS_ASSIGN_OR_RETURN(leaf.set, SetsFromJson(json, shape));
  }
  leaf.set.origin = NumberAt(json, "origin");
  if (json.contains("runtime_sizes")) {
    HLOCTS_ASSIGN_OR_RETURN(leaf.set.runtime_sizes, SizesAt(json, "runtime_sizes"));
  }
  return leaf;
}

}  // namespace

std::string AcceptanceToJsonl(const ModuleAcceptance& accepted) {
  Json origins = Json::array();
  for (const Origin& o : accepted.origins) {
    origins.push_back(Json::array({o.instruction, o.opcode, o.rule, o.clause}));
  }
  std::string text = JsonText(Json{{"origins", origins}}) + "\n";
  for (const LeafAcceptance& leaf : accepted.leaves) text += JsonText(LeafToJson(leaf)) + "\n";
  return text;
}

absl::StatusOr<ModuleAcceptance> AcceptanceFromJsonl(absl::string_view text) {
  ModuleAcceptance accepted;
  bool first = true;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    Json json = ParseJson<Json>(line);
    if (json.is_discarded() || !json.is_object()) return Bad("expected a JSON object in each line");
    if (first && json.contains("origins")) {
      for (const Json& o : json["origins"]) {
        bool texts = o.is_array() && o.size() == 4;
        for (size_t i = 0; texts && i < 4; ++i) texts = o[i].is_string();
        if (!texts) return Bad("expected an origin of four strings");
        accepted.origins.push_back({o[0].get<std::string>(), o[1].get<std::string>(),
                                    o[2].get<std::string>(), o[3].get<std::string>()});
      }
      first = false;
      continue;
    }
    HLOCTS_ASSIGN_OR_RETURN(LeafAcceptance leaf, LeafFromJson(json));
    accepted.leaves.push_back(std::move(leaf));
  }
  return accepted;
}

}  // namespace hlocts
