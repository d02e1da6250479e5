// The trainings that the tables of molecules are made of, what came out of them, and the file in
// which outcomes are kept as they come: a reproduction can be stopped and taken up again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/experiments/molecules/networks.h"
#include "fgnn/experiments/molecules/task.h"
#include "fgnn/report/tables.h"

namespace fgnn::molecules {

// One network, trained and tested.
struct Run {
  std::string network = "fgnn";  // networks.h
  GraphOptions graph{Form::paper, Sharing::cabt, Pairs::complete};
  Reference reference = Reference::atoms;
  std::string targets = "all", split = "random";
  std::size_t rank = 0;  // 0: the form's
  double epochs = 0;
  std::uint64_t seed = 0;
  std::string products = "float";  // train/options.h

  std::string name() const;  // says everything, fit for a folder
  TaskOptions task() const;  // without data
  NetworkOptions network_options() const;
};

struct Outcome {
  std::string run;                           // its name
  std::vector<std::optional<double>> error;  // by target, in reporting units; none: not trained for
  // Mean over the run's targets of errors in units of the raw targets' deviations.
  double standardised = 0;
  double parameters = 0, epochs = 0, seconds = 0;  // seconds of wall clock
  int threads = 1;
};

struct ReportOptions {
  std::string data;                 // file of molecules
  std::filesystem::path folder;     // of trainings and outcomes
  std::vector<std::string> tables;  // empty: all
  double epochs = 0;                // 0: 200 as in the paper; quick: 3
  std::size_t seeds = 1;
  std::string products = "float";  // of trainings; train/options.h
  bool quick = false;
  bool train = true;  // otherwise only what is there is shown
  int threads = 1;
  Control control;  // who looks on, and may ask to stop: Error(interrupted)

  void validate() const;  // throws Error(usage): nothing to train on, among others
  bool wants(const std::string& table) const { return report::wants_table(tables, table); }
};

const std::vector<report::TableInfo>& molecule_tables();
std::vector<Run> runs_of(const std::string& table, const ReportOptions& options);

// Those of a folder (experiments/outcomes.h).
std::vector<Outcome> read_outcomes(const std::filesystem::path& folder);
std::string line_of(const Outcome& outcome);

// Trains the run in folder/NAME (or takes up a training there), and tests its best model.
Outcome perform(const Run& run, const ReportOptions& options,
                std::shared_ptr<const MoleculeSet> molecules);

// Outcomes in the folder, completed by trainings where these are asked for.
std::vector<Outcome> reproduce(const ReportOptions& options);

}  // namespace fgnn::molecules
