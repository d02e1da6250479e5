// Trainings whose outcomes make tables: each in a folder of its own, its outcome a line of
// FOLDER/results.jsonl as soon as it is there, so that a reproduction can be stopped and taken up
// again.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/experiments/arguments.h"
#include "fgnn/io/json_log.h"
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

// Takes an outcome up. What returns false, or throws, has seen something else.
using TakeOutcome = std::function<bool(const Json&)>;

// Calls `take` with every line that is there; one that was cut short is not. Error(format) names
// what is no outcome. `what` made them, for the message: "reproduce motion".
void read_outcome_lines(const std::filesystem::path& folder, const std::string& what,
                        const TakeOutcome& take);

// The same for those who add to them. Nothing is locked: commands of different tables may share the
// folder. Each training locks its own, and lines are appended whole.
class OutcomeFile {
 public:
  // Makes the folder and the file, so that what cannot be written to shows before anything is
  // trained. `beginnings` are those of all its lines (io/json_log.h). Throws Error(io) too.
  OutcomeFile(const std::filesystem::path& folder, const std::string& what, const TakeOutcome& take,
              const std::vector<std::string>& beginnings = {"{\"run\":"});

  void keep(const std::string& line) { log_.append(line); }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  JsonLog log_;
};

// Outcomes know their run by its name, or whole.
inline const std::string& run_name(const std::string& name) { return name; }
template <class Run>
std::string run_name(const Run& run) {
  return run.name();
}

// That of a run, by its name; null where there is none.
template <class Outcome, class Run>
const Outcome* find_outcome(const std::vector<Outcome>& outcomes, const Run& run) {
  const std::string name = run.name();
  for (const Outcome& o : outcomes) {
    if (run_name(o.run) == name) return &o;
  }
  return nullptr;
}

// Adds the outcomes of those runs that have none yet. Each is kept as soon as perform(run) has
// returned it, as the text line_of(outcome). Runs that several tables share are performed once.
// Throws Error(interrupted): the same call goes on.
template <class Outcome, class Run, class Perform>
void complete_outcomes(std::vector<Outcome>& outcomes, const std::vector<Run>& runs,
                       OutcomeFile& file, const Control& control, const Perform& perform) {
  std::vector<Run> missing;
  std::set<std::string> planned;
  for (const Run& run : runs) {
    if (find_outcome(outcomes, run) != nullptr) continue;
    if (planned.insert(run.name()).second) missing.push_back(run);
  }
  Stage stage(control, "reproducing", static_cast<double>(missing.size()));
  for (const Run& run : missing) {
    control.end_if_stopped(file.folder().string(), "the same command goes on");
    stage.note(run.name());
    stage.advance(0);  // says which one begins: it may take hours
    outcomes.push_back(perform(run));
    file.keep(line_of(outcomes.back()));
    stage.advance();
  }
}

}  // namespace fgnn::experiments
