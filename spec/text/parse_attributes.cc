// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "absl/strings/str_join.h"
#include "spec/ir/opcode.h"
#include "spec/text/module_reader.h"

namespace hlocts {
namespace {

struct Input {
  ModuleReader& reader;
  const Scope& scope;
  Attr attr;
  Cursor& in;
};

// Reads one kind of attribute. The table below has a reader for each kind.
using Reader = bool (*)(const Input&, AttributeValue*);

// Reads the alternative T with a function of values.h.
template <typename T, bool (*kRead)(Cursor&, T*)>
bool ReadWith(const Input& input, AttributeValue* value) {
  return kRead(input.in, &value->emplace<T>());
}

bool ReadBool(const Input& input, AttributeValue* value) {
  return input.in.Bool(&value->emplace<bool>());
}
bool ReadInt(const Input& input, AttributeValue* value) {
  return input.in.Integer(&value->emplace<int64_t>());
}
bool ReadFloat(const Input& input, AttributeValue* value) {
  return input.in.Float(&value->emplace<double>());
}
bool ReadString(const Input& input, AttributeValue* value) {
  return input.in.QuotedString(&value->emplace<std::string>());
}

bool ReadWord(const Input& input, AttributeValue* value) {
  const char* start = input.in.Here();
  absl::string_view word;
  if (!input.in.Identifier(&word, "a word")) return false;
  auto allowed = AllowedWords(input.attr);
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), word) == allowed.end()) {
    return input.in.FailAt(
        start, "text.attribute",
        absl::StrCat("expected one of ", absl::StrJoin(allowed, ", "), ", found ", word));
  }
  *value = Word{std::string(word)};
  return true;
}

bool ReadRawText(const Input& input, AttributeValue* value) {
  RawText& raw = value->emplace<RawText>();
  if (input.attr == Attr::kResultAccuracy) return ReadResultAccuracy(input.in, &raw);
  raw.quoted = input.in.Peek() == '"';
  if (raw.quoted) return input.in.QuotedString(&raw.text);
  absl::string_view text;
  if (!input.in.Balanced(&text)) return false;
  raw.text = std::string(text);
  return true;
}

// Reads "{item,item}" into the alternative std::vector<T>.
template <typename T, typename Item>
bool ReadItems(const Input& input, AttributeValue* value, const Item& item) {
  auto& list = value->emplace<std::vector<T>>();
  return ReadList(input.in, '{', '}', [&] { return item(list); });
}

bool ReadWordList(const Input& input, AttributeValue* value) {
  return ReadItems<std::string>(input, value, [&](auto& list) {
    absl::string_view word;
    if (!input.in.Identifier(&word, "a word")) return false;
    list.emplace_back(word);
    return true;
  });
}

bool ReadBoolList(const Input& input, AttributeValue* value) {
  return ReadItems<bool>(input, value, [&](auto& list) {
    bool item;
    if (!input.in.Bool(&item)) return false;
    list.push_back(item);
    return true;
  });
}

bool ReadIntLists(const Input& input, AttributeValue* value) {
  return ReadItems<std::vector<int64_t>>(
      input, value, [&](auto& list) { return ReadIntList(input.in, &list.emplace_back()); });
}

bool ReadPairList(const Input& input, AttributeValue* value) {
  return ReadItems<std::pair<int64_t, int64_t>>(input, value, [&](auto& list) {
    auto& [first, second] = list.emplace_back();
    return input.in.Expect('{') && input.in.Integer(&first) && input.in.Expect(',') &&
           input.in.Integer(&second) && input.in.Expect('}');
  });
}

bool ReadShapeList(const Input& input, AttributeValue* value) {
  return ReadItems<Shape>(input, value,
                          [&](auto& list) { return ReadShape(input.in, &list.emplace_back()); });
}

bool ReadLiteralValue(const Input& input, AttributeValue* value) {
  return ReadLiteralWithShape(input.in, input.reader.limits, &value->emplace<Literal>());
}

bool ReadComputation(const Input& input, AttributeValue* value) {
  return input.reader.ReadComputationName(&value->emplace<Computation*>());
}

bool ReadComputations(const Input& input, AttributeValue* value) {
  return ReadItems<Computation*>(input, value, [&](auto& list) {
    return input.reader.ReadComputationName(&list.emplace_back());
  });
}

bool ReadInstructions(const Input& input, AttributeValue* value) {
  return ReadItems<Instruction*>(input, value, [&](auto& list) {
    return input.reader.ReadInstructionName(input.scope, &list.emplace_back());
  });
}

struct ReaderRow {
  AttributeKind kind;
  Reader read;
};
constexpr ReaderRow kReaders[] = {
    {AttributeKind::kBool, ReadBool},
    {AttributeKind::kInt, ReadInt},
    {AttributeKind::kFloat, ReadFloat},
    {AttributeKind::kString, ReadString},
    {AttributeKind::kWord, ReadWord},
    {AttributeKind::kRawText, ReadRawText},
    {AttributeKind::kIntList, ReadWith<std::vector<int64_t>, ReadIntList>},
    {AttributeKind::kWordList, ReadWordList},
    {AttributeKind::kBoolList, ReadBoolList},
    {AttributeKind::kIntLists, ReadIntLists},
    {AttributeKind::kPairList, ReadPairList},
    {AttributeKind::kWindow, ReadWith<Window, ReadWindow>},
    {AttributeKind::kPadding, ReadWith<PaddingConfig, ReadPadding>},
    {AttributeKind::kSliceRanges, ReadWith<SliceRanges, ReadSliceRanges>},
    {AttributeKind::kConvolutionDimensionNumbers,
     ReadWith<ConvolutionDimensionNumbers, ReadConvolutionDimensionNumbers>},
    {AttributeKind::kReplicaGroups, ReadWith<ReplicaGroups, ReadReplicaGroups>},
    {AttributeKind::kShape, ReadWith<Shape, ReadShape>},
    {AttributeKind::kShapeList, ReadShapeList},
    {AttributeKind::kLiteral, ReadLiteralValue},
    {AttributeKind::kComputation, ReadComputation},
    {AttributeKind::kComputations, ReadComputations},
    {AttributeKind::kInstructions, ReadInstructions},
    {AttributeKind::kSharding, ReadWith<Sharding, ReadSharding>},
    {AttributeKind::kMetadata, ReadWith<OpMetadata, ReadMetadata>},
    {AttributeKind::kStringMap, ReadWith<StringMap, ReadStringMap>},
    {AttributeKind::kStatistics, ReadWith<Statistics, ReadStatistics>},
    {AttributeKind::kOutputOperandAliasing,
     ReadWith<std::vector<OutputOperandAlias>, ReadOutputOperandAliasing>},
    {AttributeKind::kDomain, ReadWith<DomainMetadata, ReadDomain>},
};
constexpr size_t kKindCount = static_cast<size_t>(AttributeKind::kDomain) + 1;
constexpr std::array<Reader, kKindCount> ByKind() {
  std::array<Reader, kKindCount> table{};
  for (const ReaderRow& row : kReaders) table[static_cast<size_t>(row.kind)] = row.read;
  return table;
}
constexpr std::array<Reader, kKindCount> kReaderOfKind = ByKind();
static_assert(sizeof(kReaders) / sizeof(kReaders[0]) == kKindCount, "one reader per kind");

void SetIfTaken(Instruction* instruction, const OpRow& row, Attr attr, AttributeValue value) {
  if (row.Takes(attr) && !instruction->Has(attr)) instruction->Set(attr, std::move(value));
}

void FillDefaults(Instruction* instruction, const OpRow& row) {
  SetIfTaken(instruction, row, Attr::kReplicaGroups, ReplicaGroups());
  SetIfTaken(instruction, row, Attr::kLargest, true);
  SetIfTaken(instruction, row, Attr::kIsAssociative, Word{"false"});
  SetIfTaken(instruction, row, Attr::kLhsContractingDims, std::vector<int64_t>());
  SetIfTaken(instruction, row, Attr::kRhsContractingDims, std::vector<int64_t>());
  if (instruction->opcode() == Opcode::kBroadcast) {
    SetIfTaken(instruction, row, Attr::kDimensions, std::vector<int64_t>());
  }
  if (instruction->opcode() == Opcode::kMap) {
    std::vector<int64_t> dimensions;
    for (int64_t d = 0; d < instruction->shape().rank(); ++d) dimensions.push_back(d);
    SetIfTaken(instruction, row, Attr::kDimensions, std::move(dimensions));
  }
  if (instruction->operand_count() > 0) {
    SetIfTaken(instruction, row, Attr::kOutfeedShape, instruction->operand(0).shape());
  }
}

// If the first operand of a conditional is a predicate, renames branch_computations, which only an
// index selects, to true_computation and false_computation.
void NameBranchesOfPredicate(Instruction* instruction) {
  const auto* branches = instruction->Get<std::vector<Computation*>>(Attr::kBranchComputations);
  if (branches == nullptr || branches->size() != 2 || instruction->operand_count() == 0 ||
      instruction->operand(0).shape().element_type() != PrimitiveType::kPred) {
    return;
  }
  Computation* when_true = (*branches)[0];
  Computation* when_false = (*branches)[1];
  instruction->Remove(Attr::kBranchComputations);
  instruction->Set(Attr::kTrueComputation, when_true);
  instruction->Set(Attr::kFalseComputation, when_false);
}

}  // namespace

bool ReadAttributeValue(ModuleReader& reader, const Scope& scope, Attr attr,
                        AttributeValue* value) {
  AttributeKind kind = RowOf(attr).kind;
  return kReaderOfKind[static_cast<size_t>(kind)]({reader, scope, attr, reader.in}, value);
}

void NormalizeAttributes(Instruction* instruction) {
  const OpRow& row = RowOf(instruction->opcode());
  FillDefaults(instruction, row);
  NameBranchesOfPredicate(instruction);
  if (row.Takes(Attr::kToApply) && row.Takes(Attr::kCalledComputations)) {
    if (Computation* called = instruction->CalledComputation(Attr::kToApply)) {
      instruction->Remove(Attr::kToApply);
      instruction->Set(Attr::kCalledComputations, std::vector<Computation*>{called});
    }
  }
}

}  // namespace hlocts
