// The folder of a run: who may write to it, and what a run there is to go on with.
//
//   config.json               what was asked for
//   checkpoint.safetensors    the run as it stands; --resume goes on from it, bit for bit
//   model.safetensors         the best model so far by validation (averaged weights if asked for)
//   metrics.jsonl, events.*   losses and accuracies as they came
//   curve.svg                 the learning curve
//   .lock                     held while a process trains here
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "fgnn/io/folder_lock.h"
#include "fgnn/train/checkpoint.h"

namespace fgnn::train {

// What is expected of a run's folder: no run yet, one to go on with, or either.
enum class Start { begin, resume, resume_or_begin };

struct RunFolder {
  std::filesystem::path path;  // empty: nothing is written
  Start start = Start::begin;

  std::filesystem::path file(const char* name) const { return path / name; }
};

// Holds the folder until the lock goes. Returns the run to go on with, if there is one; else writes
// config.json. `identity` is what must be the same when a run goes on, as JSON. Throws Error(io)
// when the folder holds a run to begin anew, none to go on with, or one of another process;
// Error(usage) when the run was started with other options.
std::optional<Checkpoint> open_run(const RunFolder& folder, const std::string& identity,
                                   FolderLock& lock);

}  // namespace fgnn::train
