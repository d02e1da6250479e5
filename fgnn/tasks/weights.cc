#include "fgnn/tasks/weights.h"

#include <system_error>

namespace fgnn::tasks {

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

std::filesystem::path find_weights(const std::string& file_or_name) {
  std::error_code failure;
  if (std::filesystem::exists(file_or_name, failure)) return file_or_name;
  const auto shipped = shipped_weights() / (file_or_name + ".safetensors");
  return std::filesystem::exists(shipped, failure) ? shipped : std::filesystem::path(file_or_name);
}

}  // namespace fgnn::tasks
