#include "fgnn/experiments/molecules/runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgnn/core/error.h"
#include "fgnn/experiments/molecules/molecule_file.h"
#include "fgnn/experiments/outcomes.h"

namespace fgnn::molecules {
namespace {

constexpr const char* kCommand = "reproduce molecules";
constexpr double kPaperEpochs = 200, kQuickEpochs = 3;
constexpr std::size_t kTested = 64;  // molecules at a time
constexpr std::size_t kRanks[] = {16, 32, 64, 128, 256, 512};

Run base(const ReportOptions& o, const std::string& network, Form form, std::uint64_t seed) {
  Run run;
  run.network = network;
  run.graph.form = form;
  run.reference = form == Form::invariant ? Reference::moments : Reference::atoms;
  run.epochs = o.epochs > 0 ? o.epochs : o.quick ? kQuickEpochs : kPaperEpochs;
  run.seed = seed;
  run.products = o.products;
  return run;
}

void add_joint(const ReportOptions& o, std::vector<Run>& runs) {
  for (std::uint64_t seed = 0; seed < o.seeds; ++seed) {
    for (const char* network : {"mpnn", "mpnn-large", "fgnn"}) {
      runs.push_back(base(o, network, Form::paper, seed));
    }
    runs.push_back(base(o, "fgnn", Form::paper, seed));
    runs.back().reference = Reference::none;  // raw energies, as the paper's table seems to have
  }
}

void add_positions(const ReportOptions& o, std::vector<Run>& runs) {
  for (std::uint64_t seed = 0; seed < o.seeds; ++seed) {
    runs.push_back(base(o, "fgnn", Form::positions, seed));
    for (const char* network : {"mpnn", "mpnn-large", "fgnn"}) {
      runs.push_back(base(o, network, Form::invariant, seed));
    }
  }
}

void add_separate(const ReportOptions& o, std::vector<Run>& runs) {
  for (const Form form : {Form::paper, Form::invariant}) {
    for (const Target& target : targets()) {
      runs.push_back(base(o, "fgnn", form, 0));
      runs.back().targets = std::string(target.name);
    }
  }
}

}  // namespace

std::string Run::name() const {
  std::string text = fmt::format("{}-{}", network, molecules::name(graph.form));
  if (network == "fgnn") text += "-" + molecules::name(graph.sharing);
  if (graph.pairs != Pairs::complete) text += "-" + molecules::name(graph.pairs);
  if (rank > 0) text += fmt::format("-rank{}", rank);
  text += "-ref-" + molecules::name(reference);
  if (targets != "all") text += "-" + targets;
  if (split != "random") text += "-split-" + split;
  if (products != "float") text += "-" + products;
  return text + fmt::format("-epochs{}-seed{}", epochs, seed);
}

TaskOptions Run::task() const {
  TaskOptions o;
  o.graph = graph;
  o.targets = targets;
  o.reference = reference;
  o.split = split;
  return o;
}

NetworkOptions Run::network_options() const {
  return {network, graph.form, rank, targets_of(targets).size()};
}

void ReportOptions::validate() const {
  report::check_tables(tables, molecule_tables());
  if (!(epochs >= 0) || epochs > 100000) throw Error(ErrorCode::usage, "epochs", "make no sense");
  if (train && data.empty()) {
    throw Error(ErrorCode::usage, "--data", "is not given",
                "name a file of molecules with targets, or only --show what is there");
  }
  if (seeds < 1 || seeds > 100) throw Error(ErrorCode::usage, "seeds", "must be 1 to 100");
}

const std::vector<report::TableInfo>& molecule_tables() {
  static const std::vector<report::TableInfo> all{
      {"joint", "QM9, all targets by one network"},
      {"positions", "QM9 with positions, all targets by one network"},
      {"separate", "QM9, a network for each target"},
      {"sharing", "Which factors share weights"},
      {"ranks", "Error by the rank of factors"},
      {"pairs", "Which pairs of atoms the MPNN sees (the appendix's settings, on QM9)"},
      {"size", "Trained on up to eight heavy atoms, tested on nine"}};
  return all;
}

std::vector<Run> runs_of(const std::string& table, const ReportOptions& o) {
  std::vector<Run> runs;
  if (table == "joint") add_joint(o, runs);
  if (table == "positions") add_positions(o, runs);
  if (table == "separate") add_separate(o, runs);
  for (const Sharing sharing : {Sharing::cat, Sharing::bt, Sharing::cabt, Sharing::cabta}) {
    if (table != "sharing") break;
    runs.push_back(base(o, "fgnn", Form::paper, 0));
    runs.back().graph.sharing = sharing;
  }
  for (const std::size_t rank : kRanks) {
    if (table != "ranks") break;
    runs.push_back(base(o, "fgnn", Form::paper, 0));
    if (rank != 512) runs.back().rank = rank;  // the form's own
  }
  for (const Pairs pairs : {Pairs::sparse_without_distance, Pairs::sparse, Pairs::complete}) {
    for (const char* network : {"mpnn", "fgnn"}) {
      if (table != "pairs") break;
      // Positions are among the atoms' features there.
      runs.push_back(base(o, network, Form::positions, 0));
      runs.back().graph.pairs = pairs;
    }
  }
  for (const Form form : {Form::paper, Form::invariant}) {
    for (const char* network : {"mpnn", "fgnn"}) {
      if (table != "size") break;
      runs.push_back(base(o, network, form, 0));
      runs.back().split = "size";
    }
  }
  return runs;
}

std::string line_of(const Outcome& o) {
  Json json{{"run", o.run}};
  json["error"] = Json::object();
  for (std::size_t t = 0; t < kTargets; ++t) {
    if (o.error[t]) json["error"][std::string(targets()[t].name)] = *o.error[t];
  }
  json["standardised"] = o.standardised;
  json["parameters"] = o.parameters;
  json["epochs"] = o.epochs;
  json["seconds"] = o.seconds;
  json["threads"] = o.threads;
  return json.dump();
}

namespace {

bool take(const Json& json, std::vector<Outcome>& outcomes) {
  Outcome o;
  o.run = json.at("run").get<std::string>();
  o.error.resize(kTargets);
  if (!json.at("error").is_object()) return false;
  for (const auto& [name, value] : json.at("error").items()) {
    const auto known = [&](const Target& t) { return t.name == name; };
    const auto target = std::ranges::find_if(targets(), known);
    if (target == targets().end() || !value.is_number()) return false;
    o.error[static_cast<std::size_t>(target - targets().begin())] = value.get<double>();
  }
  o.standardised = json.value("standardised", 0.0);
  o.parameters = json.value("parameters", 0.0);
  o.epochs = json.value("epochs", 0.0);
  o.seconds = json.value("seconds", 0.0);
  o.threads = json.value("threads", 1);
  outcomes.push_back(std::move(o));
  return true;
}

// Adds outcomes of the file to these.
experiments::TakeOutcome taker(std::vector<Outcome>& outcomes) {
  return [&outcomes](const Json& json) { return take(json, outcomes); };
}

}  // namespace

std::vector<Outcome> read_outcomes(const std::filesystem::path& folder) {
  std::vector<Outcome> outcomes;
  experiments::read_outcome_lines(folder, kCommand, taker(outcomes));
  return outcomes;
}

Outcome perform(const Run& run, const ReportOptions& options,
                std::shared_ptr<const MoleculeSet> molecules) {
  const MoleculeTask task(run.task(), std::move(molecules));
  train::TrainOptions how;
  const std::size_t training = task.size(tasks::Stream::train);
  how.read(training_of(run.network_options(), training, task.size(tasks::Stream::validation),
                       run.epochs),
           "training of molecules");
  how.seed = run.seed;
  how.products = run.products;
  how.threads = options.threads;
  how.control = options.control;
  const auto report = experiments::train_to_the_end(options.folder, run.name(), task,
                                                    network_of(run.network_options()), how);
  const auto tested = tasks::evaluate(report.model, task, tasks::Stream::test,
                                      task.size(tasks::Stream::test), kTested, options.threads);
  Outcome o;
  o.run = run.name();
  o.error.resize(kTargets);
  const Scaling raw(task.molecules(), task.of(tasks::Stream::train), Reference::none);
  for (const auto& m : tested.named) {
    const std::size_t t = target_index(m.name);
    o.error[t] = m.value();
    o.standardised += m.value() / raw.unit(t) / static_cast<double>(task.targets().size());
  }
  o.parameters = static_cast<double>(report.model.program.trained_numbers());
  o.epochs = static_cast<double>(report.steps * how.batch) / static_cast<double>(training);
  o.seconds = report.all_seconds;
  o.threads = options.threads;
  return o;
}

std::vector<Outcome> reproduce(const ReportOptions& options) {
  options.validate();
  if (!options.train) return read_outcomes(options.folder);
  std::vector<Outcome> outcomes;
  experiments::OutcomeFile file(options.folder, kCommand, taker(outcomes));
  std::vector<Run> runs;
  for (const auto& table : molecule_tables()) {
    if (!options.wants(table.name)) continue;
    for (Run& run : runs_of(table.name, options)) runs.push_back(std::move(run));
  }
  std::shared_ptr<const MoleculeSet> molecules;  // read by the first run that is missing
  experiments::complete_outcomes(outcomes, runs, file, options.control, [&](const Run& run) {
    if (molecules == nullptr) {
      molecules =
          std::make_shared<const MoleculeSet>(read_molecules(options.data, {}, options.threads));
    }
    return perform(run, options, molecules);
  });
  return outcomes;
}

}  // namespace fgnn::molecules
