#include "fgnn/learned/weights.h"

#include <algorithm>
#include <system_error>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"

namespace fgnn::learned {
namespace {

constexpr const char* kEnding = ".safetensors";

}  // namespace

std::filesystem::path shipped_weights() {
  std::error_code failure;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return {};
  const auto prefix = program.parent_path().parent_path();
  // Installed: PREFIX/bin/fgnn. Built: PROJECT/build/bin/fgnn.
  for (const auto& folder :
       {prefix / "share" / "fgnn" / "weights", prefix.parent_path() / "weights"}) {
    if (std::filesystem::is_directory(folder, failure)) return folder;
  }
  return {};
}

std::vector<std::string> shipped_networks() {
  std::vector<std::string> names;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(shipped_weights(), failure)) {
    if (entry.path().extension() == kEnding) names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::filesystem::path find_weights(const std::string& file_or_name) {
  std::error_code failure;
  if (std::filesystem::is_regular_file(file_or_name, failure)) return file_or_name;
  const auto names = shipped_networks();
  if (std::ranges::find(names, file_or_name) != names.end()) {
    return shipped_weights() / (file_or_name + kEnding);
  }
  const auto of_run = std::filesystem::path(file_or_name) / "model.safetensors";
  if (std::filesystem::is_regular_file(of_run, failure)) return of_run;
  throw Error(
      ErrorCode::io, file_or_name,
      "is neither a file, nor a network that comes with the program, nor the folder of a training",
      names.empty() ? "no networks came with this program" : suggestion(file_or_name, names));
}

}  // namespace fgnn::learned
