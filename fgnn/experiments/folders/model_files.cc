#include "fgnn/experiments/folders/model_files.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include "fgnn/core/error.h"
#include "fgnn/core/fingerprint.h"
#include "fgnn/io/files.h"
#include "fgnn/io/input_file.h"

namespace fgnn::folders {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDigits = "0123456789";

bool is_model(const fs::path& file) {
  return std::ranges::any_of(
      graph_formats(), [&](const FormatInfo& format) { return file.extension() == format.ending; });
}

bool is_pattern(const std::string& input) {
  return input.find_first_of("*?[") != input.npos && !file_exists(input);
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.is_regular_file(failure) && is_model(entry.path())) files.push_back(entry.path());
  }
  if (failure) throw Error(ErrorCode::io, folder.string(), "cannot be read: " + failure.message());
  if (files.empty()) {
    throw Error(ErrorCode::io, folder.string(), "holds no models",
                "fgnn list formats tells how their names end");
  }
  return files;
}

// Folders that a pattern names stand for what is in them.
std::vector<fs::path> matches(const std::string& pattern) {
  glob_t found;
  const int failure = glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<fs::path> files;
  for (std::size_t i = 0; failure == 0 && i < found.gl_pathc; ++i) {
    const fs::path path = found.gl_pathv[i];
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      std::ranges::move(files_of(path), std::back_inserter(files));
    } else if (is_model(path)) {
      files.push_back(path);
    }
  }
  if (failure == 0) globfree(&found);
  if (files.empty()) throw Error(ErrorCode::io, pattern, "matches no model");
  return files;
}

fs::path beside(const fs::path& model, std::initializer_list<const char*> endings) {
  for (const char* ending : endings) {
    for (fs::path file :
         {fs::path(model.string() + ending), fs::path(model).replace_extension(ending)}) {
      if (file_exists(file)) return file;
    }
  }
  return {};
}

void add_file(Fingerprint& fingerprint, const fs::path& file) {
  if (file.empty()) return fingerprint.add(std::string_view("-"));
  std::ifstream in = open_input(file);
  std::array<char, 1 << 16> piece;
  std::uint64_t bytes = 0;
  while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
    const auto size = static_cast<std::size_t>(in.gcount());
    fingerprint.add(std::string_view(piece.data(), size));
    bytes += size;
  }
  fingerprint.add(bytes);
}

}  // namespace

std::string ModelFile::fingerprint() const {
  Fingerprint all;
  for (const fs::path* file : {&path, &evidence, &marginals, &partition, &assignment}) {
    add_file(all, *file);
  }
  return all.text();
}

std::string family_of(const std::string& name) {
  std::size_t end = name.find('_');
  for (std::size_t at = 0; end == name.npos; ++at) {  // "-1", but not the "-" of "noisy-or"
    at = name.find('-', at);
    if (at == name.npos) break;
    if (name.find_first_of(kDigits, at) == at + 1) end = at;
  }
  if (end == name.npos) end = name.find_first_of(kDigits);
  return end == 0 ? name : name.substr(0, end);
}

bool names_many(const std::string& input) {
  std::error_code ignored;
  return fs::is_directory(input, ignored) || is_pattern(input);
}

std::vector<ModelFile> find_models(const std::vector<std::string>& inputs) {
  std::set<fs::path> files;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (fs::is_directory(input, ignored)) {
      std::ranges::move(files_of(input), std::inserter(files, files.end()));
    } else if (is_pattern(input)) {
      std::ranges::move(matches(input), std::inserter(files, files.end()));
    } else if (file_exists(input)) {
      files.insert(input);
    } else {
      throw Error(ErrorCode::io, input, "there is no such file or folder");
    }
  }
  std::map<std::string, int> with_name;
  for (const fs::path& file : files) ++with_name[file.stem().string()];
  std::vector<ModelFile> models;
  for (const fs::path& file : files) {
    ModelFile model{file, file.stem().string(), family_of(file.stem().string())};
    if (with_name[model.name] > 1) model.name = file.string();
    model.evidence = beside(file, {".evid"});
    model.marginals = beside(file, {".MAR"});
    model.partition = beside(file, {".PR"});
    model.assignment = beside(file, {".MAP", ".MPE"});
    models.push_back(std::move(model));
  }
  std::ranges::sort(models, {},
                    [](const ModelFile& m) { return std::tie(m.family, m.name, m.path); });
  return models;
}

}  // namespace fgnn::folders
