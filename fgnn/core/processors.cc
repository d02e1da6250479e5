#include "fgnn/core/processors.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace fgnn {
namespace {

constexpr const char* kControlGroups = "/sys/fs/cgroup";

// By the mask of the calling thread, which its new threads inherit; 0 if the kernel will not say.
int allowed_processors() {
  for (std::size_t sets = 1; sets <= 64; sets *= 8) {  // a set is 1024 processors
    std::vector<cpu_set_t> mask(sets);
    const std::size_t bytes = sets * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) return CPU_COUNT_S(bytes, mask.data());
  }
  return 0;
}

// The least quota of this process's control group (version 2) and those around it.
double least_quota() {
  double least = std::numeric_limits<double>::infinity();
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    if (!line.starts_with("0::/")) continue;
    std::string path = line.substr(3);
    if (path == "/") path.clear();
    while (true) {
      std::ifstream file(kControlGroups + path + "/cpu.max");
      std::string text;
      if (std::getline(file, text)) {
        least = std::min(least, processors_of_quota(text).value_or(least));
      }
      if (path.empty()) break;
      path.resize(path.rfind('/'));
    }
  }
  return least;
}

}  // namespace

std::optional<double> processors_of_quota(std::string_view cpu_max) {
  std::istringstream text{std::string(cpu_max)};
  double quota = 0, period = 0;
  if (!(text >> quota >> period) || !(quota > 0) || !(period > 0)) return std::nullopt;
  return quota / period;
}

int usable_processors() {
  static const double kQuota = std::max(1.0, std::ceil(least_quota()));  // reading files takes long
  int n = allowed_processors();
  if (n < 1) n = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return kQuota < n ? static_cast<int>(kQuota) : n;
}

}  // namespace fgnn
