// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/comparison_type.h"
#include "spec/ir/instruction.h"
#include "spec/text/format_number.h"
#include "spec/text/module_printer.h"

namespace hlocts {
namespace {

// Prints one kind of attribute. The table below has a writer for each kind.
using Writer = void (*)(ModulePrinter&, const AttributeValue&);

// Prints the alternative T with a function of print_values.h.
template <typename T, void (*kAppend)(const T&, std::string*)>
void WriteWith(ModulePrinter& printer, const AttributeValue& value) {
  kAppend(std::get<T>(value), printer.out());
}

void WriteBool(ModulePrinter& printer, const AttributeValue& value) {
  printer.out()->append(std::get<bool>(value) ? "true" : "false");
}
void WriteInt(ModulePrinter& printer, const AttributeValue& value) {
  absl::StrAppend(printer.out(), std::get<int64_t>(value));
}
void WriteFloat(ModulePrinter& printer, const AttributeValue& value) {
  printer.out()->append(FormatShortestF32(std::get<double>(value)));
}
void WriteString(ModulePrinter& printer, const AttributeValue& value) {
  AppendQuoted(std::get<std::string>(value), printer.out());
}
void WriteWord(ModulePrinter& printer, const AttributeValue& value) {
  printer.out()->append(std::get<Word>(value).text);
}
void WriteRawText(ModulePrinter& printer, const AttributeValue& value) {
  AppendRawOrQuoted(std::get<RawText>(value).text, printer.out());
}
void WriteIntList(ModulePrinter& printer, const AttributeValue& value) {
  AppendIntList(std::get<std::vector<int64_t>>(value), printer.out());
}
void WriteWordList(ModulePrinter& printer, const AttributeValue& value) {
  absl::StrAppend(printer.out(), "{", absl::StrJoin(std::get<std::vector<std::string>>(value), ","),
                  "}");
}

// Prints "{item,item}" and calls `item` for each element of the alternative std::vector<T>.
template <typename T, typename Item>
void WriteItems(ModulePrinter& printer, const AttributeValue& value, absl::string_view separator,
                const Item& item) {
  std::string* out = printer.out();
  out->push_back('{');
  bool first = true;
  for (const auto& element : std::get<std::vector<T>>(value)) {
    if (!first) absl::StrAppend(out, separator);
    first = false;
    item(element);
  }
  out->push_back('}');
}

void WriteBoolList(ModulePrinter& printer, const AttributeValue& value) {
  WriteItems<bool>(printer, value, ",",
                   [&](bool item) { printer.out()->append(item ? "true" : "false"); });
}
void WriteIntLists(ModulePrinter& printer, const AttributeValue& value) {
  WriteItems<std::vector<int64_t>>(printer, value, ",", [&](const std::vector<int64_t>& item) {
    AppendIntList(item, printer.out());
  });
}
void WritePairList(ModulePrinter& printer, const AttributeValue& value) {
  WriteItems<std::pair<int64_t, int64_t>>(printer, value, ",", [&](const auto& item) {
    absl::StrAppend(printer.out(), "{", item.first, ",", item.second, "}");
  });
}
void WriteShape(ModulePrinter& printer, const AttributeValue& value) {
  printer.out()->append(std::get<Shape>(value).ToString());
}
void WriteShapeList(ModulePrinter& printer, const AttributeValue& value) {
  WriteItems<Shape>(printer, value, ", ",
                    [&](const Shape& item) { printer.out()->append(item.ToString()); });
}
void WriteLiteral(ModulePrinter& printer, const AttributeValue& value) {
  const Literal& literal = std::get<Literal>(value);
  absl::StrAppend(printer.out(), literal.shape().ToString(), " ");
  AppendLiteralBody(literal, printer.out());
}
void WriteComputation(ModulePrinter& printer, const AttributeValue& value) {
  printer.AppendCalled(std::get<Computation*>(value));
}
void WriteComputations(ModulePrinter& printer, const AttributeValue& value) {
  bool inlined = printer.options().inline_called_computations;
  WriteItems<Computation*>(printer, value, inlined ? "," : ", ",
                           [&](const Computation* item) { printer.AppendCalled(item); });
  if (inlined) printer.out()->insert(printer.out()->size() - 1, "\n");
}
void WriteInstructions(ModulePrinter& printer, const AttributeValue& value) {
  WriteItems<Instruction*>(printer, value, ", ",
                           [&](const Instruction* item) { printer.AppendName(*item); });
}
void WriteSharding(ModulePrinter& printer, const AttributeValue& value) {
  AppendSharding(std::get<Sharding>(value), printer.options().metadata, printer.out());
}

struct WriterRow {
  AttributeKind kind;
  Writer write;
};
constexpr WriterRow kWriters[] = {
    {AttributeKind::kBool, WriteBool},
    {AttributeKind::kInt, WriteInt},
    {AttributeKind::kFloat, WriteFloat},
    {AttributeKind::kString, WriteString},
    {AttributeKind::kWord, WriteWord},
    {AttributeKind::kRawText, WriteRawText},
    {AttributeKind::kIntList, WriteIntList},
    {AttributeKind::kWordList, WriteWordList},
    {AttributeKind::kBoolList, WriteBoolList},
    {AttributeKind::kIntLists, WriteIntLists},
    {AttributeKind::kPairList, WritePairList},
    {AttributeKind::kWindow, WriteWith<Window, AppendWindow>},
    {AttributeKind::kPadding, WriteWith<PaddingConfig, AppendPadding>},
    {AttributeKind::kSliceRanges, WriteWith<SliceRanges, AppendSliceRanges>},
    {AttributeKind::kConvolutionDimensionNumbers,
     WriteWith<ConvolutionDimensionNumbers, AppendConvolutionDimensionNumbers>},
    {AttributeKind::kReplicaGroups, WriteWith<ReplicaGroups, AppendReplicaGroups>},
    {AttributeKind::kShape, WriteShape},
    {AttributeKind::kShapeList, WriteShapeList},
    {AttributeKind::kLiteral, WriteLiteral},
    {AttributeKind::kComputation, WriteComputation},
    {AttributeKind::kComputations, WriteComputations},
    {AttributeKind::kInstructions, WriteInstructions},
    {AttributeKind::kSharding, WriteSharding},
    {AttributeKind::kMetadata, WriteWith<OpMetadata, AppendMetadata>},
    {AttributeKind::kStringMap, WriteWith<StringMap, AppendStringMap>},
    {AttributeKind::kStatistics, WriteWith<Statistics, AppendStatistics>},
    {AttributeKind::kOutputOperandAliasing,
     WriteWith<std::vector<OutputOperandAlias>, AppendOutputOperandAliasing>},
    {AttributeKind::kDomain, WriteWith<DomainMetadata, AppendDomain>},
};
constexpr size_t kWriterCount = static_cast<size_t>(AttributeKind::kDomain) + 1;
constexpr std::array<Writer, kWriterCount> WritersByKind() {
  std::array<Writer, kWriterCount> table{};
  for (const WriterRow& row : kWriters) table[static_cast<size_t>(row.kind)] = row.write;
  return table;
}
constexpr std::array<Writer, kWriterCount> kWriterOfKind = WritersByKind();
static_assert(sizeof(kWriters) / sizeof(kWriters[0]) == kWriterCount, "one writer per kind");

// The values at which XLA omits an attribute.
struct UsualInt {
  Attr attr;
  int64_t value;
};
constexpr UsualInt kUsualInts[] = {{Attr::kFeatureGroupCount, 1}, {Attr::kBatchGroupCount, 1}};
constexpr Attr kPrintedWhenTrue[] = {Attr::kIsStable,
                                     Attr::kLower,
                                     Attr::kLeftSide,
                                     Attr::kUnitDiagonal,
                                     Attr::kIndicesAreSorted,
                                     Attr::kUniqueIndices,
                                     Attr::kUseGlobalDeviceIds,
                                     Attr::kConstrainLayout,
                                     Attr::kIsHostTransfer,
                                     Attr::kIsComposite,
                                     Attr::kCustomCallHasSideEffect,
                                     Attr::kIsReverse};
struct UsualWord {
  Attr attr;
  absl::string_view word;
};
constexpr UsualWord kUsualWords[] = {{Attr::kSchedule, "SCHEDULE_NONE"},
                                     {Attr::kApiVersion, "API_VERSION_ORIGINAL"},
                                     {Attr::kAlgorithm, "dot_unset"}};
// Lists that XLA omits if they are empty. Other empty lists are printed as {}.
constexpr Attr kPrintedWhenNotEmpty[] = {Attr::kLhsBatchDims,
                                         Attr::kRhsBatchDims,
                                         Attr::kOperandBatchingDims,
                                         Attr::kInputBatchingDims,
                                         Attr::kStartIndicesBatchingDims,
                                         Attr::kScatterIndicesBatchingDims};

// Lists that XLA prints as {} if they are absent.
constexpr Attr kPrintedWhenAbsent[] = {Attr::kReplicaGroups, Attr::kLhsContractingDims,
                                       Attr::kRhsContractingDims};

bool UsualWordOf(const Instruction& instruction, Attr attr, const std::string& word) {
  for (const UsualWord& row : kUsualWords) {
    if (row.attr == attr && row.word == word) return true;
  }
  if (attr != Attr::kType || instruction.operand_count() == 0) return false;
  // The comparison type follows from the operands' type unless it is a total order.
  return word == NaturalComparisonType(instruction.operand(0).shape().element_type());
}

bool AllDefault(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word != "default") return false;
  }
  return true;
}

// Returns true if XLA omits the value. There is one overload per alternative that can be omitted.
struct LeftOut {
  const Instruction& instruction;
  Attr attr;

  bool operator()(bool flag) const {
    return !flag && absl::c_linear_search(kPrintedWhenTrue, attr);
  }
  bool operator()(const Word& word) const { return UsualWordOf(instruction, attr, word.text); }
  bool operator()(int64_t number) const {
    for (const UsualInt& row : kUsualInts) {
      if (row.attr == attr && row.value == number) return true;
    }
    return false;
  }
  bool operator()(const std::vector<int64_t>& list) const {
    return list.empty() && absl::c_linear_search(kPrintedWhenNotEmpty, attr);
  }
  bool operator()(const std::vector<std::string>& words) const {
    return attr == Attr::kOperandPrecision && AllDefault(words);
  }
  bool operator()(const std::string& text) const {
    return text.empty() && (attr == Attr::kInfeedConfig || attr == Attr::kOutfeedConfig);
  }
  bool operator()(const RawText& raw) const {
    return raw.text.empty() || (attr == Attr::kResultAccuracy && raw.text == "{mode=default}");
  }
  bool operator()(const std::vector<std::vector<int64_t>>& lists) const { return lists.empty(); }
  bool operator()(const Window& window) const { return window.dimensions.empty(); }
  bool operator()(const std::vector<Computation*>& list) const { return list.empty(); }
  bool operator()(const std::vector<Instruction*>& list) const { return list.empty(); }
  bool operator()(const std::vector<OutputOperandAlias>& list) const { return list.empty(); }
  bool operator()(const StringMap& map) const { return map.entries.empty(); }
  bool operator()(const Statistics& statistics) const { return statistics.entries.empty(); }
  template <typename Other>
  bool operator()(const Other&) const {
    return false;
  }
};

const AttributeValue* Find(const Instruction& instruction, Attr attr) {
  for (const auto& [name, value] : instruction.attributes()) {
    if (name == attr) return &value;
  }
  return nullptr;
}

void AppendAttribute(ModulePrinter& printer, const Instruction& instruction, Attr attr) {
  const AttributeValue* value = Find(instruction, attr);
  const AttrRow& row = RowOf(attr);
  if (value == nullptr) {
    if (absl::c_linear_search(kPrintedWhenAbsent, attr))
      absl::StrAppend(printer.out(), ", ", row.text, "={}");
    return;
  }
  if (std::visit(LeftOut{instruction, attr}, *value)) return;
  absl::StrAppend(printer.out(), ", ", row.text, "=");
  kWriterOfKind[static_cast<size_t>(row.kind)](printer, *value);
}

// The order in which XLA prints the common attributes.
constexpr Attr kCommonOrder[] = {Attr::kParameterReplication,
                                 Attr::kSharding,
                                 Attr::kFrontendAttributes,
                                 Attr::kControlPredecessors,
                                 Attr::kStatistics,
                                 Attr::kResultAccuracy,
                                 Attr::kOrigin,
                                 Attr::kOriginalValue,
                                 Attr::kMetadata,
                                 Attr::kBackendConfig};

bool Wanted(const PrintOptions& options, Attr attr) {
  if (attr == Attr::kMetadata) return options.metadata;
  if (attr == Attr::kBackendConfig) return options.backend_config;
  if (attr == Attr::kControlPredecessors) return options.control_dependencies;
  return options.extra_attributes;
}

}  // namespace

void AppendOwnAttributes(ModulePrinter& printer, const Instruction& instruction) {
  const OpRow& row = RowOf(instruction.opcode());
  for (const AttributeUse& use : row.attribute_uses()) {
    AppendAttribute(printer, instruction, use.attr);
  }
  // Aliasing is a common attribute, but opcodes whose row lists it print it with their own
  // attributes.
  if (!row.Takes(Attr::kOutputToOperandAliasing)) {
    AppendAttribute(printer, instruction, Attr::kOutputToOperandAliasing);
  }
}

void AppendCommonAttributes(ModulePrinter& printer, const Instruction& instruction) {
  for (Attr attr : kCommonOrder) {
    if (Wanted(printer.options(), attr)) AppendAttribute(printer, instruction, attr);
  }
}

}  // namespace hlocts
