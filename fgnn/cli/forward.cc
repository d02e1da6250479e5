#include "fgnn/cli/forward.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "fgnn/core/error.h"

namespace fgnn::cli {
namespace {

bool needs_torch(char** argv) {
  if (argv[0] == nullptr || argv[1] == nullptr) return false;
  if (std::strcmp(argv[1], "train") == 0) return true;
  // The suite, or the experiment, that trains.
  const char* wanted = std::strcmp(argv[1], "bench") == 0       ? "learn"
                       : std::strcmp(argv[1], "reproduce") == 0 ? "handwriting"
                                                                : nullptr;
  if (wanted == nullptr) return false;
  for (char** word = argv + 2; *word != nullptr; ++word) {
    if (std::strcmp(*word, wanted) == 0) return true;
  }
  return false;
}

}  // namespace

void forward_learning(char** argv) {
  if (!needs_torch(argv)) return;
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return;
  const std::string other = (self.parent_path() / "fgnn-learn").string();
  execv(other.c_str(), argv);  // returns only where there is none
}

void add_forwarded(CLI::App& app) {
  CLI::App* train = app.add_subcommand("train", "Train a network on a task (fgnn train --help)");
  train->allow_extras();
  train->callback([] {
    throw Error(ErrorCode::unsupported, "fgnn train", "this build has no LibTorch",
                "configure with -DFGNN_LEARN=ON");
  });
}

}  // namespace fgnn::cli
