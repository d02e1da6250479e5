// Trainings whose outcomes make tables: each in a folder of its own, its outcome a line of
// FOLDER/results.jsonl as soon as it is there, so that a reproduction can be stopped and taken up
// again.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fgnn/experiments/arguments.h"
#include "fgnn/report/json.h"
#include "fgnn/train/trainer.h"

namespace fgnn::experiments {

// --products, of reproductions that train.
Option products_option();

// Begins the training of this name in the folder, or goes on with it. Throws Error(interrupted):
// the same call goes on.
train::TrainReport train_to_the_end(const std::filesystem::path& folder, const std::string& name,
                                    const tasks::Task& task, network::Description description,
                                    const train::TrainOptions& options);

// Calls take(line) for every outcome that is there. Error(format) names a line that is not JSON,
// or for which it returns false. `what` is for the message: "reproduce motion".
void read_outcome_lines(const std::filesystem::path& folder, const std::string& what,
                        const std::function<bool(const Json&)>& take);

// Every line begins with its member "run".
void keep_outcome(const std::filesystem::path& folder, const std::string& line);

// That of a run, by its name; null where there is none.
template <class Outcome, class Run>
const Outcome* find_outcome(const std::vector<Outcome>& outcomes, const Run& run) {
  for (const Outcome& o : outcomes) {
    if (o.run == run.name()) return &o;
  }
  return nullptr;
}

}  // namespace fgnn::experiments
