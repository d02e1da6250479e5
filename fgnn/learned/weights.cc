#include "fgnn/learned/weights.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"

namespace fgnn::learned {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".safetensors";
constexpr int kLevels = 4;  // PREFIX/lib/TRIPLET/fgnn/x.so, PROJECT/build/bin/fgnn

// The program, or the shared library, that this function is part of.
fs::path own_file() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_file), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::error_code failure;
  const fs::path file = info.dli_fname;
  // A program that was found on the PATH is known by its bare name.
  if (!file.has_parent_path()) return fs::read_symlink("/proc/self/exe", failure);
  const fs::path known = fs::canonical(file, failure);
  return failure ? fs::path() : known;
}

std::string file_name(const std::string& name) { return name + kEnding; }

void add_folder(const fs::path& folder, std::vector<fs::path>& all) {
  std::error_code failure;
  if (!fs::is_directory(folder, failure)) return;
  const fs::path known = fs::canonical(folder, failure);
  if (std::ranges::find(all, known) == all.end()) all.push_back(known);
}

// Those of the installation or the project, which came with the library.
void add_own_folders(std::vector<fs::path>& all) {
  fs::path above = own_file().parent_path();
  for (int level = 0; level < kLevels && above.has_relative_path(); ++level) {
    above = above.parent_path();
    add_folder(above / "share" / "fgnn" / "weights", all);
    // The project's own, which a folder of that name elsewhere is not.
    std::error_code failure;
    if (fs::is_directory(above / "fgnn" / "network", failure)) add_folder(above / "weights", all);
  }
  add_folder(FGNN_INSTALLED_WEIGHTS, all);
}

}  // namespace

std::vector<fs::path> weight_folders() {
  std::vector<fs::path> all;
  if (const char* given = std::getenv("FGNN_WEIGHTS"); given != nullptr && *given != '\0') {
    std::error_code failure;
    if (!fs::is_directory(given, failure)) {
      throw Error(ErrorCode::io, "FGNN_WEIGHTS", fmt::format("'{}' is not a folder", given));
    }
    add_folder(given, all);
  }
  add_own_folders(all);
  return all;
}

fs::path shipped_weights() {
  std::vector<fs::path> own;
  add_own_folders(own);
  return own.empty() ? fs::path() : own.front();
}

std::vector<std::string> shipped_networks() {
  std::set<std::string> names;
  std::error_code failure;
  for (const fs::path& folder : weight_folders()) {
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
      if (entry.path().extension() == kEnding) names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

fs::path find_weights(const std::string& file_or_name) {
  std::error_code failure;
  if (fs::is_regular_file(file_or_name, failure)) return file_or_name;
  for (const fs::path& folder : weight_folders()) {
    // A name, not a path that would lead out of the folder.
    if (file_or_name.find('/') != file_or_name.npos) break;
    const fs::path file = folder / file_name(file_or_name);
    if (fs::is_regular_file(file, failure)) return file;
  }
  const fs::path of_run = fs::path(file_or_name) / "model.safetensors";
  if (fs::is_regular_file(of_run, failure)) return of_run;
  const std::vector<std::string> names = shipped_networks();
  throw Error(
      ErrorCode::io, file_or_name,
      "is neither a file, nor a network that comes with the program, nor the folder of a training",
      names.empty() ? "no networks came with this program" : suggestion(file_or_name, names));
}

network::Model load_network(const std::string& file_or_name) {
  return network::load_model(find_weights(file_or_name));
}

}  // namespace fgnn::learned
