#include "fgnn/cli/ranks.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>

#include "fgnn/cluster/group.h"
#include "fgnn/cluster/launch.h"
#include "fgnn/core/error.h"
#include "fgnn/core/output.h"
#include "fgnn/experiments/experiment.h"
#include "fgnn/version.h"

namespace fgnn::cli {
namespace {

bool shared_out(std::span<char* const> words) {
  if (words.size() < 2) return false;
  const auto has = [&](std::string_view word) {
    return std::any_of(words.begin() + 2, words.end(), [&](auto w) { return word == w; });
  };
  const std::string_view command = words[1];
  if (command == "bench") return has("cluster");
  if (command == "reproduce") {
    return std::ranges::any_of(experiments::list(), [&](const experiments::Experiment& e) {
      return e.reproduction.several_ranks && has(e.name);
    });
  }
  return command == "ber" || command == "eval" || command == "compare" || command == "train";
}

}  // namespace

bool takes_part(std::span<char* const> words) {
  const cluster::Launch& launch = cluster::launch();
  if (!launch.several) return true;
  keep_quiet(!launch.first());
  if (!shared_out(words)) return launch.first();
  cluster::Group& group = cluster::world();
  std::string text = fmt::format("fgnn {}\n", kVersion);
  for (const std::string_view word : words.subspan(1)) {
    text += fmt::format("{}\n", word);
    if (word == "-") {
      throw Error(ErrorCode::usage, "-", "standard input reaches rank 0 only",
                  "name a file that all ranks can read");
    }
  }
  group.check_same("arguments", text);
  return true;
}

void report_failure(const std::string& line, int exit_code) {
  const cluster::Launch& launch = cluster::launch();
  if (!launch.first()) {
    // Most errors are met by all ranks. The lowest one speaks first and ends the others before
    // their turn comes, which takes a launcher a second where it is slow.
    using std::chrono::milliseconds;
    std::this_thread::sleep_for(milliseconds(2000 + 100 * std::min<std::size_t>(launch.rank, 50)));
    keep_quiet(false);
  }
  print_message(launch.first() ? "fgnn: " + line
                               : fmt::format("fgnn: rank {}: {}", launch.rank, line));
  cluster::end_world(exit_code);
}

}  // namespace fgnn::cli
