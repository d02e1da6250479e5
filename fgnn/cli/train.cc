// fgnn train: a network learns a task.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/core/output.h"
#include "fgnn/experiments/handwriting/network.h"
#include "fgnn/experiments/handwriting/task.h"
#include "fgnn/experiments/molecules/networks.h"
#include "fgnn/experiments/molecules/task.h"
#include "fgnn/experiments/registry.h"
#include "fgnn/io/json_text.h"
#include "fgnn/io/read_text.h"
#include "fgnn/network/description.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"
#include "fgnn/train/trainer.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::string task, config, out, from, network;
  std::vector<std::string> set, task_set;
  std::string dataset, instances, fold, order, threads, seed;  // short for --task and --set
  std::string baseline;                                        // of handwriting
  std::size_t rank = 0, features = 0;
  double epochs = 0;
  bool resume = false, resume_or_begin = false;
  OutputOptions output;
};

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : json_line(value);
}

struct Plan {
  experiments::Settings settings;
  std::unique_ptr<tasks::Task> task;
  network::Description network;
  train::TrainOptions train;
};

// A network and options of training for the order, rank and words at hand, below what was given.
void plan_handwriting(const Options& o, bool described, Plan& p) {
  handwriting::HandwritingNetwork n;
  if (!o.baseline.empty()) n.kind = o.baseline;
  if (o.rank > 0) n.rank = o.rank;
  if (o.features > 0) n.features = o.features;
  const auto set = [&](const char* key, const char* value) { p.settings.try_emplace(key, value); };
  if (n.kind == "crf") set("loss", "chain");
  if (n.kind == "mpnn") set("pairs", "yes");
  if (!handwriting::has_orders(n.kind)) set("order", "0");
  p.task = experiments::make_task(o.task, p.settings);
  const auto& task = dynamic_cast<const handwriting::HandwritingTask&>(*p.task);
  n.order = task.schema().relations.size();
  if (!described) p.network = handwriting::handwriting_network(n);
  const double epochs = o.epochs > 0 ? o.epochs : handwriting::kHandwritingEpochs;
  p.train.read(handwriting::handwriting_training(n, task.of(tasks::Stream::train).size(), epochs),
               "training of handwriting");
}

// The same for molecules: the network of a form, trained as long as --epochs says.
void plan_molecules(const Options& o, bool described, Plan& p) {
  p.task = experiments::make_task(o.task, p.settings);
  const auto& task = dynamic_cast<const molecules::MoleculeTask&>(*p.task);
  molecules::NetworkOptions n;
  if (!o.baseline.empty()) n.network = o.baseline;
  n.form = molecules::form_of(task.settings().at("form"));
  n.rank = o.rank;
  n.outputs = task.targets().size();
  if (!described) p.network = molecules::network_of(n);
  const double epochs = o.epochs > 0 ? o.epochs : molecules::kEpochs;
  p.train.read(molecules::training_of(n, task.size(tasks::Stream::train),
                                      task.size(tasks::Stream::validation), epochs),
               "training of molecules");
}

// The file first, then the command line.
Plan plan(const Options& o) {
  Plan p;
  bool described = false;
  Json from_file = Json::object();  // options of training
  if (!o.config.empty()) {
    const Json json = parse_json<Json>(read_text(o.config), o.config);
    if (!json.is_object()) throw Error(ErrorCode::format, o.config, "is not a JSON object");
    for (const auto& [key, value] : json.items()) {
      if (key == "task" && value.is_object()) {
        for (const auto& [k, v] : value.items()) p.settings[k] = text_of(v);
      } else if (key == "network" && value.is_string()) {
        p.network = network::describe(value.get<std::string>());
        described = true;
      } else if (key == "network" && value.is_object()) {
        p.network = network::Description::parse(value.dump(), o.config);
        described = true;
      } else if (key == "train" && value.is_object()) {
        from_file = value;
      } else {
        throw Error(ErrorCode::format, o.config, fmt::format("has an unknown entry \"{}\"", key),
                    "task, network and train are known, each an object");
      }
    }
  }
  if (!o.dataset.empty()) p.settings["dataset"] = o.dataset;
  if (!o.instances.empty()) p.settings["instances"] = o.instances;
  if (!o.fold.empty()) p.settings["fold"] = o.fold;
  if (!o.order.empty()) p.settings["order"] = o.order;
  for (const auto& [key, value] : experiments::parse_settings(o.task_set, "--task")) {
    p.settings[key] = value;
  }
  if (!o.network.empty()) {
    p.network = network::describe(o.network);
    described = true;
  }
  if (o.task == "handwriting") {
    plan_handwriting(o, described, p);
  } else if (o.task == "molecules") {
    if (o.features > 0) throw Error(ErrorCode::usage, "--features", "is for the task handwriting");
    plan_molecules(o, described, p);
  } else if (!o.baseline.empty() || o.rank > 0 || o.features > 0 || o.epochs > 0) {
    throw Error(ErrorCode::usage, "--baseline, --rank, --features and --epochs",
                "are for the tasks handwriting and molecules");
  } else {
    if (!described) p.network = network::describe("fgnn");
    p.task = experiments::make_task(o.task, p.settings);
  }
  p.train.read(json_line(from_file), o.config);
  const auto set = [&](const std::string& key, const std::string& value, const char* option) {
    const Json parsed = Json::parse(value, nullptr, /*allow_exceptions=*/false);
    const Json object{{key, parsed.is_discarded() ? Json(value) : parsed}};
    p.train.read(json_line(object), option);
  };
  if (!o.threads.empty()) set("threads", o.threads, "--threads");
  if (!o.seed.empty()) set("seed", o.seed, "--seed");
  for (const auto& [key, value] : experiments::parse_settings(o.set, "--set"))
    set(key, value, "--set");
  return p;
}

template <class... Cells>
void print_row(const Cells&... cells) {
  print_result(fmt::format("{:>9} {:>11} {:>11} {:>9} {:>8} {:>12}\n", cells...));
  flush_results();
}

train::RunFolder folder_of(const Options& o) {
  if ((o.resume || o.resume_or_begin) && o.out.empty()) {
    throw Error(ErrorCode::usage, "--resume", "needs the folder of the run", "name it with --out");
  }
  return {o.out, o.resume            ? train::Start::resume
                 : o.resume_or_begin ? train::Start::resume_or_begin
                                     : train::Start::begin};
}

void run(const Options& o) {
  const train::RunFolder folder = folder_of(o);
  const Plan p = plan(o);
  const tasks::Task* task = p.task.get();
  cluster::Group& group = cluster::world();
  const bool talks = group.first();
  if (talks && !o.output.json) {
    print_row("step", "train loss", "valid loss", "accuracy", "solved", "instances/s");
  }
  const auto watcher = [&](std::uint64_t step, const std::map<std::string, double>& v) {
    if (o.output.json) return;
    const auto at = [&](const char* key, double scale, int digits) {
      const auto found = v.find(key);
      return found == v.end() ? std::string("-")
                              : fmt::format("{:.{}f}", scale * found->second, digits);
    };
    print_row(step, at("train_loss", 1, 5), at("validation_loss", 1, 5),
              at("validation_accuracy", 100, 2), at("validation_solved", 100, 2),
              at("instances_per_second", 1, 0));
  };
  const auto report =
      o.from.empty()
          ? train::train(*task, p.network, p.train, folder, group, watcher)
          : train::train(*task, network::load_model(o.from), p.train, folder, group, watcher);
  if (!talks) return;
  if (o.output.json) {
    Json json{{"steps", report.steps},
              {"seconds", report.seconds},
              {"instances_per_second", report.instances_per_second},
              {"first_loss", report.first_loss},
              {"last_loss", report.last_loss},
              {"stopped_early", report.stopped_early}};
    if (report.validation.rows > 0) {
      json["validation_loss"] = report.validation.mean_loss();
      json["validation_accuracy"] = report.validation.accuracy();
    }
    print_result(json_text(json));
    return;
  }
  Summary summary;
  summary.add("trained", fmt::format("{} steps in {}, {:.0f} instances/s", report.steps,
                                     seconds_text(report.seconds), report.instances_per_second));
  if (report.stopped_early) summary.add("stopped", "validation did not improve any more");
  if (!o.out.empty()) summary.add("model", o.out + "/model.safetensors");
  print_result("\n" + summary.text());
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<Options>();
  std::string tasks_text = "Tasks and their settings:\n";
  for (const auto& info : experiments::task_list()) {
    tasks_text += fmt::format("  {}: {}\n   ", info.name, info.description);
    for (const auto& [key, value] : info.settings) tasks_text += fmt::format(" {}={}", key, value);
    tasks_text += "\n";
  }
  tasks_text += "Options of training (--set) and their defaults:\n" + train::TrainOptions().json();
  CLI::App* command = add_command(
      app, "train", "Train a network on a task",
      "Prints a line per validation; the folder gets the best model, a checkpoint, metrics and a\n"
      "plot. A run that was stopped goes on with --resume, bit for bit. Several processes train\n"
      "together when they are started by mpirun or srun (docs/scale.md).\n" +
          tasks_text,
      {"fgnn train synthetic --dataset D3 --out runs/d3",
       "fgnn train synthetic --from bp.safetensors --out runs/warm",
       "fgnn train handwriting --task data=letters.tsv.gz --order 3 --fold 0 --out runs/words",
       "fgnn train synthetic --config my.json --set steps=20000 --out runs/mine --resume"});
  command->add_option("task", options->task, "What to learn")->required()->type_name("TASK");
  command->add_option("--config", options->config, "JSON with task, network and train")
      ->type_name("FILE");
  command->add_option("--network", options->network,
                      "A preset (fgnn list networks), layers such as '6*FGNN(32) - Out(2)', or a "
                      "description file; default fgnn, and for "
                      "handwriting one of the order and rank");
  command
      ->add_option("--from", options->from,
                   "Start from this model's network and weights: one of fgnn neuralize, or of "
                   "another run")
      ->type_name("MODEL");
  command->add_option("--task", options->task_set, "Settings of the task, with commas between")
      ->delimiter(',')
      ->type_name("KEY=VALUE");
  command->add_option("--set", options->set, "An option of training")->type_name("KEY=VALUE");
  command->add_option("--dataset", options->dataset, "Short for --task dataset=NAME")
      ->type_name("NAME");
  command
      ->add_option("--instances", options->instances,
                   "Short for --task instances=N: that many fixed ones (the paper has 90000), "
                   "instead of never the same twice")
      ->type_name("N");
  command->add_option("--fold", options->fold, "Short for --task fold=N")->type_name("N");
  command->add_option("--order", options->order, "Short for --task order=K")->type_name("K");
  command->add_option("--rank", options->rank, "handwriting: width of the factors; 1024")
      ->check(positive())
      ->type_name("R");
  command->add_option("--features", options->features, "handwriting: numbers of a letter; 512")
      ->check(positive())
      ->type_name("N");
  command
      ->add_option("--baseline", options->baseline,
                   "handwriting: crf, a chain of letters; mpnn, pairwise messages; or product, "
                   "factors that multiply")
      ->type_name("NAME");
  command->add_option("--epochs", options->epochs, "handwriting: passes over the words; 20")
      ->check(positive())
      ->type_name("N");
  command->add_option("--threads", options->threads, "Short for --set threads=N")->type_name("N");
  command->add_option("--seed", options->seed, "Short for --set seed=N")->type_name("N");
  command->add_option("--out", options->out, "The run's folder")->type_name("DIR");
  CLI::Option* resume =
      command->add_flag("--resume", options->resume, "Go on with the run in the folder");
  command
      ->add_flag("--resume-or-begin", options->resume_or_begin,
                 "The same, or begin one where there is none: for scripts and queues")
      ->excludes(resume);
  options->output.declare_json(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
