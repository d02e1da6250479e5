#include "fgnn/cluster/launch.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace fgnn::cluster {
namespace {

std::optional<std::size_t> number(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return {};
  const std::string_view digits(text);
  std::size_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return {};
  return value;
}

Launch read() {
  const char* module = std::getenv("FGNN_MPI_MODULE");
  if (module != nullptr && std::string_view(module) == "none") return {};
  struct Variables {
    const char *rank, *size;
  };
  for (const auto& [rank, size] :
       {Variables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        Variables{"PMI_RANK", "PMI_SIZE"}, Variables{"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}}) {
    // A size that is not told may be any: MPI knows.
    if (const auto mine = number(rank)) return {*mine, number(size).value_or(2) > 1};
  }
  return {};
}

}  // namespace

const Launch& launch() {
  static const Launch read_once = read();
  return read_once;
}

}  // namespace fgnn::cluster
