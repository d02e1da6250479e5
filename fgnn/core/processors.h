// How many processors this process may use: those it is allowed to run on (taskset, cpusets, batch
// systems), and no more than its share of their time (containers).
#pragma once

#include <optional>
#include <string_view>

namespace fgnn {

// At least 1. Asks again at every call what may have changed since.
int usable_processors();

// Processors' worth of time of a control group's cpu.max, such as "150000 100000"; none for "max".
std::optional<double> processors_of_quota(std::string_view cpu_max);

}  // namespace fgnn
