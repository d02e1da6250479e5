// The folder of a run:
//
//   config.json               what was asked for
//   checkpoint.safetensors    the run as it stands; --resume goes on from it, bit for bit
//   model.safetensors         the best model so far by validation (averaged weights if asked for)
//   metrics.jsonl, events.*   losses and accuracies as they came
//   curve.svg                 the learning curve
//   .lock                     held while a process trains here
#pragma once

#include <filesystem>

namespace fgnn::train {

// What is expected of a run's folder: no run yet, one to go on with, or either.
enum class Start { begin, resume, resume_or_begin };

struct RunFolder {
  std::filesystem::path path;  // empty: nothing is written
  Start start = Start::begin;

  std::filesystem::path file(const char* name) const { return path / name; }
};

}  // namespace fgnn::train
