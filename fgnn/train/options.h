// How to train. The fields are the keys of "train" in a configuration file.
#pragma once

#include <cstdint>
#include <string>

#include "fgnn/core/control.h"
#include "fgnn/core/settings.h"

namespace fgnn::train {

struct TrainOptions {
  std::uint64_t steps = 5000;       // optimiser steps in all
  std::uint64_t batch = 64;         // graphs per step, over all processes
  std::uint64_t parts = 0;          // that a batch is cut into; 0: as parts_of says
  std::uint64_t interval = 500;     // steps between validations: an "epoch"
  std::uint64_t validation = 1000;  // graphs per validation
  double rate = 2e-3;
  // constant | cosine (to zero) | factor (at every interval) | step (at every `every` intervals) |
  // plateau (when validation has not improved for more than `every` intervals)
  std::string schedule = "cosine";
  double factor = 0.98;            // of schedule=factor, step and plateau
  std::uint64_t every = 5;         // intervals, of step and plateau
  double floor = 0;                // the rate does not fall below this, of factor, step and plateau
  std::uint64_t warmup = 100;      // steps of linear increase
  double weight_decay = 0;         // above 0: AdamW
  double clip = 1;                 // largest norm of the gradient; 0: any
  double average = 0;              // decay of averaged weights, such as 0.999; 0: none
  std::uint64_t patience = 0;      // validations without improvement before stopping; 0: never
  std::string products = "float";  // of matrices: float | bf16 (kernels/bf16.h)
  std::uint64_t seed = 0;          // of the weights, and of the order of fixed data
  int threads = 0;                 // 0: all processors
  int workers = 1;                 // threads that make batches ahead
  double checkpoint_seconds = 60;  // at most this much is lost when a run is killed
  Control control;                 // who looks on, and may ask to stop; not kept in files

  void validate() const;  // throws Error(usage)
  // The rate of a step, counted from 0; `plateaus` is how often validation has got stuck.
  double rate_at(std::uint64_t step, std::uint64_t plateaus = 0) const;
  // Into how many parts a batch is cut, for a network with so many weights on this many processes.
  // Parts are what threads share out; the same parts give the same bits.
  std::uint64_t parts_of(std::uint64_t processes, std::uint64_t weights) const;

  std::string json() const;
  // Fields that are absent stay as they are. Throws Error(format) for unknown ones and for values
  // of another type; `validate` looks at ranges.
  void read(const std::string& json, const std::string& subject);
};

const SettingList<TrainOptions>& train_settings();

}  // namespace fgnn::train
