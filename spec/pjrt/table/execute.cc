// SPDX-License-Identifier: Apache-2.0
// Runs an executable: converts buffers to literals, consumes donated buffers, returns buffers.
#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "spec/pjrt/table/entries.h"

namespace hlocts::pjrt {
namespace {

// Returns the donations of the program, except those that the caller excludes.
absl::StatusOr<std::vector<Donation>> DonatedBy(const PJRT_ExecuteOptions* options,
                                                const Program& program, size_t arguments) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(options, "options"));
  if (options->struct_size <
      PJRT_STRUCT_SIZE(PJRT_ExecuteOptions, num_non_donatable_input_indices)) {
    return InvalidInput("PJRT_ExecuteOptions: expected a larger struct_size, found ",
                        options->struct_size);
  }
  if (options->num_send_ops != 0 || options->num_recv_ops != 0)
    return Unsupported("send and recv callbacks are not supported");
  std::set<int64_t> kept;
  for (size_t i = 0; i < options->num_non_donatable_input_indices; ++i) {
    const int64_t index = options->non_donatable_input_indices[i];
    if (index < 0 || static_cast<size_t>(index) >= arguments) {
      return InvalidInput("non_donatable_input_indices: expected 0 to ", arguments,
                          " (exclusive), found ", index);
    }
    kept.insert(index);
  }
  std::vector<Donation> donated;
  for (const Donation& donation : program.donations) {
    if (kept.count(donation.argument) == 0) donated.push_back(donation);
  }
  return donated;
}

// Returns the argument in the form that the entry computation expects.
absl::StatusOr<Literal> ArgumentFor(const Shape& expected, const Literal& given, size_t leaf) {
  if (expected.IsToken() != given.shape().IsToken()) {
    return InvalidInput("argument ", leaf, ": expected ",
                        expected.IsToken() ? "a token, found an array" : "an array, found a token");
  }
  if (expected.IsToken()) return given;
  const std::vector<int64_t> sizes = given.runtime_sizes();
  bool fits =
      given.element_type() == expected.element_type() && given.shape().rank() == expected.rank();
  for (int64_t d = 0; fits && d < expected.rank(); ++d) {
    const int64_t size = sizes[static_cast<size_t>(d)];
    fits = expected.is_dynamic_dimension(d) ? size <= expected.dimension(d)
                                            : size == expected.dimension(d);
  }
  if (!fits) {
    return InvalidInput("argument ", leaf, ": expected ", expected.ToString(false), ", found ",
                        Shape(given.element_type(), sizes).ToString(false));
  }
  return expected.is_dynamic() ? PaddedTo(expected, given) : given;
}

class Execution {
 public:
  Execution(PJRT_LoadedExecutable_Execute_Args& args) : args_(args), loaded_(*args.executable) {}

  absl::Status Run() {
    HLOCTS_ASSIGN_OR_RETURN(donated_, DonatedBy(args_.options, *loaded_.program, args_.num_args));
    HLOCTS_RETURN_IF_ERROR(ReadArguments());
    for (const Donation& donation : donated_) request_.donated_leaves.push_back(donation.argument);
    TakeInfeed();
    HLOCTS_RETURN_IF_ERROR(Donate());
    absl::StatusOr<ExecuteResult> result = OnEngine();
    if (!result.ok()) {
      RestoreDonated();
      return result.status();
    }
    return ReturnOutputs(*std::move(result));
  }

 private:
  absl::StatusOr<ExecuteResult> OnEngine() {
    const std::optional<Spread>& spread = loaded_.program->spread;
    Executable& executable = *loaded_.program->executable;
    if (!spread.has_value()) return executable.Execute(request_);
    HLOCTS_ASSIGN_OR_RETURN(ExecuteResult whole, executable.Execute(Joined(*spread, request_)));
    return Split(*spread, std::move(whole));
  }

  PJRT_Device* DeviceOf(size_t list) const {
    return args_.execute_device != nullptr ? args_.execute_device : loaded_.devices[list];
  }

  absl::Status ReadArguments() {
    const Program& program = *loaded_.program;
    if (args_.execute_device != nullptr && loaded_.devices.size() != 1)
      return Unsupported("execute_device: expected an executable for one device");
    if (args_.num_devices != loaded_.devices.size()) {
      return InvalidInput("num_devices: expected ", loaded_.devices.size(), ", found ",
                          args_.num_devices);
    }
    if (args_.num_args != program.arguments.size()) {
      return InvalidInput("arguments: expected ", program.arguments.size(), ", found ",
                          args_.num_args);
    }
    request_.arguments.resize(args_.num_devices);
    for (size_t d = 0; d < args_.num_devices; ++d) {
      for (size_t i = 0; i < args_.num_args; ++i) {
        PJRT_Buffer* buffer = args_.argument_lists[d][i];
        HLOCTS_RETURN_IF_ERROR(CheckPointer(buffer, absl::StrCat("argument ", i)));
        std::lock_guard<std::mutex> lock(buffer->mutex);
        HLOCTS_RETURN_IF_ERROR(Annotate(CheckAlive(*buffer), absl::StrCat("argument ", i)));
        HLOCTS_ASSIGN_OR_RETURN(Literal argument,
                                ArgumentFor(program.arguments[i], buffer->literal, i));
        request_.arguments[d].push_back(std::move(argument));
      }
    }
    return absl::OkStatus();
  }

  void TakeInfeed() {
    std::lock_guard<std::mutex> lock(loaded_.mutex);
    bool fed = false;
    for (const auto& leaves : loaded_.infeed) fed = fed || !leaves.empty();
    if (!fed) return;
    request_.infeed = std::move(loaded_.infeed);
    loaded_.infeed.assign(loaded_.devices.size(), {});
  }

  template <class Visit>
  void ForEachDonated(const Visit& visit) {
    for (size_t d = 0; d < args_.num_devices; ++d) {
      for (const Donation& donation : donated_) {
        const auto leaf = static_cast<size_t>(donation.argument);
        PJRT_Buffer& buffer = *args_.argument_lists[d][leaf];
        std::lock_guard<std::mutex> lock(buffer.mutex);
        visit(buffer, request_.arguments[d][leaf]);
      }
    }
  }

  // Marks donated buffers as deleted, so that only the request owns their storage.
  absl::Status Donate() {
    absl::Status status;
    ForEachDonated([&](PJRT_Buffer& buffer, Literal&) {
      if (buffer.references > 0)
        status = absl::FailedPreconditionError("a donated buffer has external references");
    });
    HLOCTS_RETURN_IF_ERROR(status);
    ForEachDonated([](PJRT_Buffer& buffer, Literal&) {
      buffer.deleted = true;
      buffer.literal = Literal();
    });
    return absl::OkStatus();
  }

  void RestoreDonated() {
    ForEachDonated([](PJRT_Buffer& buffer, Literal& argument) {
      buffer.deleted = false;
      buffer.literal = std::move(argument);
    });
  }

  absl::Status ReturnOutputs(ExecuteResult result) {
    if (result.outputs.size() != args_.num_devices)
      return absl::InternalError(absl::StrCat("expected outputs of ", args_.num_devices,
                                              " devices, found ", result.outputs.size()));
    for (const auto& leaves : result.outputs) {
      if (leaves.size() != loaded_.program->outputs.size())
        return absl::InternalError(absl::StrCat("expected ", loaded_.program->outputs.size(),
                                                " outputs, found ", leaves.size()));
    }
    for (size_t d = 0; d < args_.num_devices; ++d) {
      for (const Donation& donation : donated_) {
        if (donation.output >= 0)
          MoveInto(request_.arguments[d][donation.argument], result.outputs[d][donation.output]);
      }
      Separate(d, result.outputs[d]);
      for (size_t o = 0; o < result.outputs[d].size(); ++o)
        args_.output_lists[d][o] = MakeBuffer(DeviceOf(d), std::move(result.outputs[d][o]));
      if (args_.device_complete_events != nullptr) args_.device_complete_events[d] = MakeEvent();
    }
    std::lock_guard<std::mutex> lock(loaded_.mutex);
    for (size_t d = 0; d < loaded_.outfeed.size(); ++d) {
      loaded_.outfeed[d].clear();
      if (d >= result.outfeed.size()) continue;
      for (const Literal& item : result.outfeed[d]) {
        for (Literal& leaf : FlattenLeaves(item)) loaded_.outfeed[d].push_back(std::move(leaf));
      }
    }
    return absl::OkStatus();
  }

  // Copies outputs that share storage with an earlier output or an argument that is not donated.
  // Literals share storage until one of them is written; buffers of PJRT do not.
  void Separate(size_t d, std::vector<Literal>& outputs) {
    std::set<const uint8_t*> held;
    for (size_t i = 0; i < args_.num_args; ++i) {
      const bool donated = std::any_of(donated_.begin(), donated_.end(), [&](const Donation& one) {
        return one.argument == static_cast<int64_t>(i);
      });
      if (!donated) held.insert(request_.arguments[d][i].raw_data());
    }
    for (Literal& output : outputs) {
      if (output.raw_size() > 0 && !held.insert(output.raw_data()).second)
        output.mutable_raw_data();  // makes a copy
    }
  }

  // Moves an aliased output into the donated memory if the engine computed the output elsewhere.
  static void MoveInto(Literal& donated, Literal& output) {
    if (donated.raw_data() == output.raw_data() || !donated.UniqueStorage() ||
        donated.raw_size() != output.raw_size() || output.has_runtime_sizes()) {
      return;
    }
    std::memcpy(donated.mutable_raw_data(), output.raw_data(), output.raw_size());
    output = donated.WithShape(output.shape());
  }

  PJRT_LoadedExecutable_Execute_Args& args_;
  PJRT_LoadedExecutable& loaded_;
  std::vector<Donation> donated_;
  ExecuteRequest request_;
};

}  // namespace

absl::Status Entry(PJRT_LoadedExecutable_Execute_Args& args) {
  HLOCTS_RETURN_IF_ERROR(CheckPointer(args.executable, "executable"));
  {
    std::lock_guard<std::mutex> lock(args.executable->mutex);
    if (args.executable->deleted)
      return absl::FailedPreconditionError("Execute: the executable was deleted");
  }
  return Execution(args).Run();
}

}  // namespace hlocts::pjrt
