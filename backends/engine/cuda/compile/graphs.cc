// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/graphs.h"

#include <algorithm>
#include <atomic>

namespace hlocts::cuda {
namespace {

std::atomic<int64_t> graphs_replayed{0};

}  // namespace

// One turn of a loop: the state in its places, the body, its results in the state's places, the
// condition. All of it stays on the device until the next time.
class LoopRecord {
 public:
  LoopRecord(Run& run, const Function& condition, const Function& body)
      : device_(run.device()),
        recorder_(device_),
        recorded_(recorder_, run),
        condition_(condition),
        body_(body) {}
  ~LoopRecord() {
    if (graph_ >= 0) device_.Forget(graph_);
  }

  absl::Status Record(const std::vector<Buffer>& state);
  absl::StatusOr<std::vector<Buffer>> Replay(Run& run, const std::vector<Buffer>& state);

 private:
  std::vector<Buffer> State();
  absl::Status MoveResults(const std::vector<Buffer>& results);
  absl::Status CopyState(const std::vector<Buffer>& state);

  Device& device_;
  Recorder recorder_;
  Run recorded_;
  const Function &condition_, &body_;
  std::vector<void*> places_;  // nullptr: a token
  std::vector<Buffer> tested_;
  void* left_ = nullptr;
  int64_t graph_ = -1;
};

std::vector<Buffer> LoopRecord::State() {
  std::vector<Buffer> state;
  for (void* place : places_) state.push_back(place ? recorder_.Pinned(place) : nullptr);
  return state;
}

// Results may lie in places of others: those go aside first.
absl::Status LoopRecord::MoveResults(const std::vector<Buffer>& results) {
  std::vector<const void*> from(results.size());
  std::vector<Buffer> aside;
  for (size_t k = 0; k < results.size(); ++k) {
    if (places_[k] == nullptr || results[k]->data() == places_[k]) continue;
    from[k] = results[k]->data();
    if (std::find(places_.begin(), places_.end(), from[k]) == places_.end()) continue;
    const int64_t bytes = body_.result_types[k].bytes;
    HLOCTS_ASSIGN_OR_RETURN(aside.emplace_back(), recorded_.Allocate(bytes));
    HLOCTS_RETURN_IF_ERROR(recorder_.Copy(aside.back()->data(), from[k], bytes));
    from[k] = aside.back()->data();
  }
  for (size_t k = 0; k < results.size(); ++k) {
    if (from[k] == nullptr) continue;
    HLOCTS_RETURN_IF_ERROR(recorder_.Copy(places_[k], from[k], body_.result_types[k].bytes));
  }
  return absl::OkStatus();
}

absl::Status LoopRecord::Record(const std::vector<Buffer>& state) {
  for (size_t k = 0; k < state.size(); ++k) {
    places_.push_back(nullptr);
    if (state[k] == nullptr) continue;
    HLOCTS_ASSIGN_OR_RETURN(places_.back(),
                            recorder_.AllocatePinned(body_.parameter_types[k].bytes));
  }
  HLOCTS_ASSIGN_OR_RETURN(left_, recorder_.AllocatePinned(sizeof(int64_t)));
  {
    HLOCTS_ASSIGN_OR_RETURN(const std::vector<Buffer> results, recorded_.Call(body_, State()));
    HLOCTS_RETURN_IF_ERROR(MoveResults(results));
  }
  // Held here, so that the condition does not write where it reads.
  const std::vector<Buffer> held = State();
  HLOCTS_ASSIGN_OR_RETURN(tested_, recorded_.Call(condition_, held));
  recorder_.graph().again = static_cast<const uint8_t*>(tested_[0]->data());
  recorder_.graph().left = static_cast<int64_t*>(left_);
  HLOCTS_ASSIGN_OR_RETURN(graph_, device_.Keep(recorder_.graph()));
  return absl::OkStatus();
}

absl::Status LoopRecord::CopyState(const std::vector<Buffer>& state) {
  for (size_t k = 0; k < state.size(); ++k) {
    if (places_[k] == nullptr) continue;
    HLOCTS_RETURN_IF_ERROR(
        device_.Copy(places_[k], state[k]->data(), body_.parameter_types[k].bytes));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Buffer>> LoopRecord::Replay(Run& run, const std::vector<Buffer>& state) {
  uint8_t again = 1;
  HLOCTS_RETURN_IF_ERROR(CopyState(state));
  HLOCTS_RETURN_IF_ERROR(device_.Upload(tested_[0]->data(), &again, sizeof(again)));
  HLOCTS_RETURN_IF_ERROR(device_.Upload(left_, &run.steps_left, sizeof(int64_t)));
  HLOCTS_RETURN_IF_ERROR(device_.Replay(graph_));
  HLOCTS_RETURN_IF_ERROR(device_.Download(&again, tested_[0]->data(), sizeof(again)));
  HLOCTS_RETURN_IF_ERROR(device_.Download(&run.steps_left, left_, sizeof(int64_t)));
  ++graphs_replayed;
  if (again != 0) HLOCTS_RETURN_IF_ERROR(run.ChargeSteps(1));
  std::vector<Buffer> results(places_.size());
  for (size_t k = 0; k < places_.size(); ++k) {
    if (places_[k] == nullptr) continue;
    const int64_t bytes = body_.parameter_types[k].bytes;
    HLOCTS_ASSIGN_OR_RETURN(results[k], run.Allocate(bytes));
    HLOCTS_RETURN_IF_ERROR(device_.Copy(results[k]->data(), places_[k], bytes));
  }
  return results;
}

int64_t GraphsReplayed() { return graphs_replayed; }

LoopOnDevice::LoopOnDevice(const Function& condition, const Function& body)
    : condition_(condition), body_(body) {}
LoopOnDevice::~LoopOnDevice() = default;

// One that is not in use, taken out; else a new one. nullptr: a library is called that graphs
// have not, or memory is
// short.
std::unique_ptr<LoopRecord> LoopOnDevice::RecordFor(cuda::Run& run,
                                                    const std::vector<Buffer>& state) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::unique_ptr<LoopRecord>>& idle = idle_[&run.device()];
    if (!idle.empty()) {
      std::unique_ptr<LoopRecord> record = std::move(idle.back());
      idle.pop_back();
      return record;
    }
  }
  auto record = std::make_unique<LoopRecord>(run, condition_, body_);
  if (!record->Record(state).ok()) return nullptr;
  return record;
}

absl::StatusOr<std::optional<std::vector<Buffer>>> LoopOnDevice::Run(
    cuda::Run& run, const std::vector<Buffer>& state) {
  std::unique_ptr<LoopRecord> record = RecordFor(run, state);
  if (record == nullptr) return std::optional<std::vector<Buffer>>();
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Buffer> results, record->Replay(run, state));
  std::lock_guard<std::mutex> lock(mutex_);
  idle_[&run.device()].push_back(std::move(record));
  return std::optional<std::vector<Buffer>>(std::move(results));
}

std::unique_ptr<KeptFunction> KeptFunction::New(Run& run, const Function& function) {
  std::unique_ptr<KeptFunction> kept(new KeptFunction(run.device()));
  if (!kept->Record(run, function).ok()) return nullptr;
  return kept;
}

KeptFunction::~KeptFunction() {
  if (graph_ >= 0) device_.Forget(graph_);
}

absl::Status KeptFunction::Record(Run& run, const Function& function) {
  Run recorded(recorder_, run);
  std::vector<Buffer> arguments;
  for (const plan::ArrayType& type : function.parameter_types) {
    parameters_.push_back(nullptr);
    arguments.push_back(nullptr);
    if (type.type == PrimitiveType::kToken) continue;
    HLOCTS_ASSIGN_OR_RETURN(parameters_.back(), recorder_.AllocatePinned(type.bytes));
    arguments.back() = recorder_.Pinned(parameters_.back());
  }
  HLOCTS_ASSIGN_OR_RETURN(results_, recorded.Call(function, std::move(arguments)));
  HLOCTS_ASSIGN_OR_RETURN(graph_, device_.Keep(recorder_.graph()));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Literal>> KeptFunction::Call(Run& run,
                                                        const std::vector<Literal>& arguments,
                                                        const std::vector<Shape>& results) {
  for (size_t k = 0; k < arguments.size(); ++k) {
    if (parameters_[k] == nullptr) continue;
    HLOCTS_RETURN_IF_ERROR(device_.Upload(parameters_[k], arguments[k].raw_data(),
                                          static_cast<int64_t>(arguments[k].raw_size())));
  }
  HLOCTS_RETURN_IF_ERROR(device_.StartClock());
  HLOCTS_RETURN_IF_ERROR(device_.Replay(graph_));
  HLOCTS_ASSIGN_OR_RETURN(const double took, device_.StopClock());
  run.seconds += took;
  ++graphs_replayed;
  std::vector<Literal> literals;
  for (size_t r = 0; r < results.size(); ++r) {
    Literal& output = literals.emplace_back(Literal::Uninitialized(results[r]));
    if (results_[r] == nullptr) continue;
    HLOCTS_RETURN_IF_ERROR(device_.Download(output.mutable_raw_data(), results_[r]->data(),
                                            static_cast<int64_t>(output.raw_size())));
  }
  return literals;
}

}  // namespace hlocts::cuda
