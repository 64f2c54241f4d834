// SPDX-License-Identifier: Apache-2.0
// Prints single values of HLO text, the reverse of values.h. Each function appends to `out`.
#pragma once

#include <string>

#include "spec/ir/attributes.h"
#include "spec/ir/literal.h"
#include "spec/ops/op_table.h"
#include "spec/text/printer.h"

namespace hlocts {

// Defined in print_literal.cc.
void AppendLiteralBody(const Literal& literal, std::string* out);
void AppendConstant(const Literal& literal, bool large_constants, std::string* out);
void AppendRuntimeSizes(const Literal& literal, std::string* out);  // "(3,2) "

// Defined in print_values.cc.
void AppendQuoted(absl::string_view text, std::string* out);
// Appends `text`: without quotes if it is one balanced {...}, else with quotes, as XLA does.
void AppendRawOrQuoted(absl::string_view text, std::string* out);
void AppendIntList(absl::Span<const int64_t> values, std::string* out);  // "{0,1}"
void AppendWindow(const Window& window, std::string* out);
void AppendPadding(const PaddingConfig& padding, std::string* out);
void AppendSliceRanges(const SliceRanges& slice, std::string* out);
void AppendConvolutionDimensionNumbers(const ConvolutionDimensionNumbers& numbers,
                                       std::string* out);
// Appends "[2,4]<=[4,2]T(1,0)".
void AppendIota(const std::vector<int64_t>& dimensions, const std::vector<int64_t>& reshape_dims,
                const std::vector<int64_t>& permutation, std::string* out);
void AppendReplicaGroups(const ReplicaGroups& groups, std::string* out);
void AppendStringMap(const StringMap& map, std::string* out);
void AppendStatistics(const Statistics& statistics, std::string* out);
void AppendOutputOperandAliasing(const std::vector<OutputOperandAlias>& aliases, std::string* out);

// Defined in print_sharding.cc.
void AppendMetadata(const OpMetadata& metadata, std::string* out);
void AppendSharding(const Sharding& sharding, bool metadata, std::string* out);
void AppendDomain(const DomainMetadata& domain, std::string* out);

}  // namespace hlocts
