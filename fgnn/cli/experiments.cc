// The commands that experiments bring (experiments/experiment.h).
#include <map>
#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/control.h"
#include "fgnn/cli/data_options.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/experiment.h"

namespace fgnn::cli {
namespace {

struct Options {
  DataOptions own;
  SolverOptions solver;
  OutputOptions output;
};

void run(const experiments::Command& command, const Options& options) {
  experiments::Arguments arguments = options.own.get();
  arguments.threads = options.solver.threads > 0 ? options.solver.threads : default_threads();
  arguments.seed = options.solver.seed;
  arguments.rows = options.output.rows();
  arguments.json = options.output.json;
  arguments.control = control();
  const experiments::Output output = command.run(arguments);
  options.output.deliver(options.output.json ? output.json : output.text);
  end_if_interrupted(command.name, "the same command goes on");
}

CLI::App* declare(CLI::App& parent, const std::string& name, const experiments::Command& command) {
  CLI::App* declared = add_command(parent, name, command.summary, command.help, command.examples);
  if (!command.run) {
    declared->require_subcommand(1);
    return declared;
  }
  auto options = std::make_shared<Options>();
  options->own.declare(*declared, command.options);
  if (command.threads) options->solver.declare_threads(*declared);
  if (command.json) options->output.declare_json(*declared);
  if (command.out) options->output.declare_file(*declared);
  declared->callback([options, &command] { run(command, *options); });
  return declared;
}

// The group that experiments share.
const experiments::Command kPredict{
    .name = "predict",
    .summary = "Trained networks on data of your own",
    .help = "Each experiment that comes with weights tells what it predicts, and from what.",
    .examples = {},
    .options = {},
    .run = {}};

}  // namespace

void add_experiments(CLI::App& app) {
  std::map<std::string, CLI::App*> groups;
  for (const auto& experiment : experiments::list()) {
    for (const experiments::Command& command : experiment.commands) {
      const std::size_t space = command.name.find(' ');
      if (space == std::string::npos) {
        groups[command.name] = declare(app, command.name, command);
        continue;
      }
      CLI::App*& group = groups[command.name.substr(0, space)];
      if (group == nullptr && command.name.starts_with(kPredict.name + " ")) {
        group = declare(app, kPredict.name, kPredict);
      }
      if (group == nullptr) {
        throw Error(ErrorCode::internal, command.name, "comes before its group of commands");
      }
      declare(*group, command.name.substr(space + 1), command);
    }
  }
}

}  // namespace fgnn::cli
