#include "fgnn/experiments/data.h"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>

#include "fgnn/core/error.h"
#include "fgnn/io/input_file.h"

namespace fgnn::experiments {

std::string find_data(const DataSource& source, const std::string& given,
                      const std::string& subject, const std::string& option) {
  const auto existing = [&](const std::filesystem::path& place) {
    if (file_exists(place)) return place.string();
    throw Error(ErrorCode::io, place.string(),
                fmt::format("is not there, where {} looks for {}", subject, source.what),
                source.origin);
  };
  if (!given.empty()) return existing(given);
  const char* folder = std::getenv("FGNN_DATA");
  if (folder == nullptr || *folder == '\0') {
    throw Error(ErrorCode::usage, subject, "has no data",
                fmt::format("name {} with {}, or set FGNN_DATA to the folder that holds {}; {}",
                            source.what, option, source.place, source.origin));
  }
  return existing(std::filesystem::path(folder) / source.place);
}

std::string usual_data(const DataSource& source) {
  const char* folder = std::getenv("FGNN_DATA");
  if (folder == nullptr || *folder == '\0') return {};
  const auto place = std::filesystem::path(folder) / source.place;
  return file_exists(place) ? place.string() : std::string();
}

Option data_option(const DataSource& source) {
  return {.name = "--data",
          .value = "PATH",
          .help = fmt::format("Where {} is; default {} in the folder that FGNN_DATA names",
                              source.what, source.place)};
}

}  // namespace fgnn::experiments
