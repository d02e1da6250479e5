#include "bench/learn_baseline.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "fgnn/core/error.h"

namespace fgnn::bench {
namespace {

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw Error(ErrorCode::io, "python3", "cannot be started");
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe)) {
    text.append(part.data(), n);
  }
  pclose(pipe);
  return text;
}

Eager eager_on(const std::string& script, int threads, double seconds) {
  // Debian's python3, which has Debian's packages, whatever comes first on the path.
  const auto json = nlohmann::json::parse(
      output_of(fmt::format("/usr/bin/python3 -W ignore '{}/python/'{} --threads {} --seconds {} "
                            "2>/dev/null",
                            FGNN_SOURCE_DIR, script, threads, seconds)),
      nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    throw Error(ErrorCode::unsupported, "bench learn", "needs PyTorch for Python as the baseline",
                "apt-get install python3-torch libopenblas0-pthread");
  }
  Eager result;
  result.per_second = json.contains("microseconds") ? 1e6 / json["microseconds"].get<double>()
                                                    : json["instances_per_second"].get<double>();
  result.bytes = json["peak_bytes"].get<double>();
  const auto blas = json["blas"].get<std::string>();
  result.fair = blas.starts_with("openblas") && json["blas_threads"].get<int>() == threads;
  result.blas =
      result.fair ? fmt::format("{} {}", blas, json["blas_kernels"].get<std::string>()) : blas;
  result.threads = threads;
  return result;
}

}  // namespace

Eager eager(const std::string& script, int threads, double seconds) {
  const Eager one = eager_on(script, 1, seconds);
  if (threads == 1) return one;
  const Eager all = eager_on(script, threads, seconds);
  return one.per_second > all.per_second ? one : all;
}

void compare(Row& row, const Eager& baseline, double value) {
  if (baseline.fair) {
    row.baseline = value;
    row.baseline_name = fmt::format("eager PyTorch, {} thread{}, {}", baseline.threads,
                                    baseline.threads > 1 ? "s" : "", baseline.blas);
  } else {
    row.baseline_name = fmt::format(
        "none: PyTorch runs on the BLAS '{}'; apt-get install libopenblas0-pthread", baseline.blas);
  }
}

}  // namespace fgnn::bench
