#include "fgnn/train/open_run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fgnn/core/error.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/input_file.h"
#include "fgnn/train/options.h"

namespace fgnn::train {
namespace {

// Options that came later have their defaults in runs begun before; how many processes there are
// has no part in it.
nlohmann::json comparable(const std::string& identity) {
  auto json = nlohmann::json::parse(identity, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return json;
  json.erase("processes");
  auto defaults = nlohmann::json::parse(TrainOptions().json());
  for (const char* free : {"threads", "workers", "checkpoint_seconds"}) defaults.erase(free);
  for (const auto& [key, value] : defaults.items()) {
    if (!json["train"].contains(key)) json["train"][key] = value;
  }
  return json;
}

}  // namespace

std::optional<Checkpoint> open_run(const RunFolder& folder, const std::string& identity,
                                   FolderLock& lock) {
  const auto saved = folder.file("checkpoint.safetensors");
  if (folder.start == Start::resume && !file_exists(saved)) {
    throw Error(ErrorCode::io, folder.path.string(), "holds no run to go on with",
                "leave out --resume to begin one");
  }
  lock = FolderLock(folder.path);
  if (!file_exists(saved)) {
    write_file(folder.file("config.json"), [&](std::ostream& out) { out << identity << '\n'; });
    return std::nullopt;
  }
  if (folder.start == Start::begin) {
    throw Error(ErrorCode::io, folder.path.string(), "holds a run already",
                "go on with --resume, or choose another folder");
  }
  Checkpoint state = load_checkpoint(saved);
  if (comparable(state.options) != comparable(identity)) {
    throw Error(ErrorCode::usage, saved.string(), "was started with other options",
                fmt::format("see {}", folder.file("config.json").string()));
  }
  return state;
}

}  // namespace fgnn::train
