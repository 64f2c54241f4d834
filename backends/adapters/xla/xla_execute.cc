// SPDX-License-Identifier: Apache-2.0
// How an executable runs: leaves become the arguments of its entry, results become buffers.
#include <optional>

#include "backends/adapters/xla/xla_executable.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace hlocts::xla_plugin {
namespace {

Status WrongArgument(const std::string& where, const std::string& expected,
                     const std::string& found) {
  return {kInvalidArgument, where + ": expected " + expected + ", found " + found};
}

// Whether an array of static shape may stand for a bounded dynamic one.
bool IsWithin(const xla::Shape& found, const xla::Shape& bounded) {
  bool fits = found.element_type() == bounded.element_type() &&
              found.dimensions().size() == bounded.dimensions().size();
  for (size_t i = 0; fits && i < found.dimensions().size(); ++i) {
    fits = bounded.is_dynamic_dimension(i) ? found.dimensions(i) <= bounded.dimensions(i)
                                           : found.dimensions(i) == bounded.dimensions(i);
  }
  return fits;
}

// The array padded to its bounds, then the actual size of each dynamic dimension.
Status PadToBounds(const xla::Literal& exact, const xla::Shape& bounded,
                   std::vector<xla::Literal>* literals) {
  xla::Shape bounds = xla::ShapeUtil::MakeStaticShape(bounded);
  xla::LayoutUtil::SetToDefaultLayout(&bounds);
  literals->emplace_back(bounds);
  const auto sizes = exact.shape().dimensions();
  const std::vector<int64_t> zeros(sizes.size(), 0);
  HLOCTS_RETURN_IF_ERROR(literals->front().CopySliceFrom(exact, zeros, zeros, sizes));
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!bounded.is_dynamic_dimension(i)) continue;
    literals->push_back(xla::LiteralUtil::CreateR0<int32_t>(sizes[i]));
  }
  return {};
}

}  // namespace

std::vector<std::unique_ptr<Buffer>> ExecutableImpl::Wrap(Owned buffers) {
  std::vector<std::unique_ptr<Buffer>> wrapped;
  for (auto& buffer : buffers) {
    wrapped.push_back(std::make_unique<BufferImpl>(shared_, std::move(buffer)));
  }
  return wrapped;
}

Status ExecutableImpl::DynamicHandles(const ParameterLeaf& leaf, const std::string& where,
                                      BufferImpl& given, xla::PjRtMemorySpace* memory,
                                      Owned* made) {
  std::vector<int64_t> sizes;
  if (Status status = given.UnpaddedDimensions(&sizes); !status.ok()) return status;
  const xla::Shape found = MakeShape(given.element_type(), sizes, nullptr);
  if (!IsWithin(found, leaf.shape)) {
    return WrongArgument(where, xla::ShapeUtil::HumanString(leaf.shape),
                         xla::ShapeUtil::HumanString(found));
  }
  xla::Literal exact(found);
  HLOCTS_RETURN_IF_ERROR(given.get()->ToLiteralSync(&exact));
  std::vector<xla::Literal> literals;
  if (Status status = PadToBounds(exact, leaf.shape, &literals); !status.ok()) return status;
  for (const xla::Literal& literal : literals) {
    auto buffer = shared_->client->BufferFromHostLiteral(literal, memory);
    HLOCTS_RETURN_IF_ERROR(buffer.status());
    // The literal goes away with this function.
    HLOCTS_RETURN_IF_ERROR((*buffer)->GetReadyFuture().Await());
    made->push_back(*std::move(buffer));
  }
  return {};
}

Status ExecutableImpl::Handles(const std::vector<Buffer*>& leaves, xla::PjRtMemorySpace* memory,
                               std::vector<xla::PjRtBuffer*>* handles, Owned* made) {
  if (!leaves_.empty() && leaves.size() != leaves_.size()) {
    return WrongArgument("arguments", std::to_string(leaves_.size()),
                         std::to_string(leaves.size()));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    const std::string where = "argument " + std::to_string(i);
    const auto kind = leaves_.empty() ? ParameterLeaf::kArray : leaves_[i].kind;
    if ((leaves[i]->element_type() == xla::TOKEN) != (kind == ParameterLeaf::kToken)) {
      const bool token = kind == ParameterLeaf::kToken;
      return WrongArgument(where, token ? "a token" : "an array", token ? "an array" : "a token");
    }
    if (kind == ParameterLeaf::kToken) continue;
    auto* given = static_cast<BufferImpl*>(leaves[i]);
    if (kind == ParameterLeaf::kArray) {
      handles->push_back(given->get());
      continue;
    }
    const size_t before = made->size();
    Status status = DynamicHandles(leaves_[i], where, *given, memory, made);
    if (!status.ok()) return status;
    for (size_t k = before; k < made->size(); ++k) handles->push_back((*made)[k].get());
  }
  return {};
}

xla::ExecuteOptions ExecutableImpl::ToXla(const ExecuteOptions& options) {
  xla::ExecuteOptions xla_options;
  xla_options.launch_id = options.launch_id;
  xla_options.call_location = options.call_location;
  for (int index : options.non_donatable_input_indices) {
    const bool moved = static_cast<size_t>(index) < leaves_.size();
    xla_options.non_donatable_input_indices.insert(moved ? leaves_[index].parameter : index);
  }
  return xla_options;
}

Status ExecutableImpl::ExecuteOn(xla::PjRtDevice* device,
                                 const std::vector<xla::PjRtBuffer*>& arguments,
                                 const xla::ExecuteOptions& options,
                                 std::vector<std::vector<std::unique_ptr<Buffer>>>* outputs,
                                 std::vector<std::unique_ptr<Event>>* done) {
  std::optional<xla::Future<>> future;
  auto results = executable_->num_replicas() * executable_->num_partitions() > 1
                     ? executable_->ExecuteSharded(arguments, device, options, future, true)
                     : executable_->ExecutePortable(arguments, device, options, future, true);
  HLOCTS_RETURN_IF_ERROR(results.status());
  outputs->push_back(Wrap(*std::move(results)));
  if (done != nullptr) done->push_back(std::make_unique<FutureEvent>(*std::move(future)));
  return {};
}

Status ExecutableImpl::ExecuteOnAll(const std::vector<std::vector<xla::PjRtBuffer*>>& arguments,
                                    const xla::ExecuteOptions& options,
                                    std::vector<std::vector<std::unique_ptr<Buffer>>>* outputs,
                                    std::vector<std::unique_ptr<Event>>* done) {
  std::optional<std::vector<xla::Future<>>> futures;
  if (done != nullptr) futures.emplace();
  auto results = executable_->Execute(arguments, options, futures);
  HLOCTS_RETURN_IF_ERROR(results.status());
  for (auto& result : *results) outputs->push_back(Wrap(std::move(result)));
  if (done == nullptr) return {};
  for (auto& future : *futures) done->push_back(std::make_unique<FutureEvent>(std::move(future)));
  return {};
}

Status ExecutableImpl::Execute(const std::vector<std::vector<Buffer*>>& arguments,
                               const ExecuteOptions& options, const int* device,
                               std::vector<std::vector<std::unique_ptr<Buffer>>>* outputs,
                               std::vector<std::unique_ptr<Event>>* done) {
  if (IsDeleted()) return {kFailedPrecondition, "Execute: the executable was deleted"};
  const xla::ExecuteOptions xla_options = ToXla(options);
  std::vector<std::vector<xla::PjRtBuffer*>> handles;
  Owned made;  // The runtime holds what it still needs of these when this call returns.
  for (size_t i = 0; i < arguments.size(); ++i) {
    xla::PjRtDevice* target =
        device != nullptr ? shared_->device(*device) : executable_->addressable_devices()[i];
    auto memory = target->default_memory_space();
    HLOCTS_RETURN_IF_ERROR(memory.status());
    Status status = Handles(arguments[i], *memory, &handles.emplace_back(), &made);
    if (!status.ok()) return status;
  }
  outputs->clear();
  if (device != nullptr) {
    return ExecuteOn(shared_->device(*device), handles.front(), xla_options, outputs, done);
  }
  return ExecuteOnAll(handles, xla_options, outputs, done);
}

}  // namespace hlocts::xla_plugin
