// Seconds of processor time, which neighbours on the machine do not lengthen as they do a clock's.
#ifndef HLOCTS_TOOLS_BENCH_PROCESSOR_TIME_H_
#define HLOCTS_TOOLS_BENCH_PROCESSOR_TIME_H_

namespace hlocts {

// Of this process, all threads.
double OwnSeconds();
// Of the workers that this process has now, to a hundredth of a second.
double WorkerSeconds();

}  // namespace hlocts

#endif  // HLOCTS_TOOLS_BENCH_PROCESSOR_TIME_H_
