// fgnn list: what there is to choose from.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/suite.h"
#include "fgnn/cli/commands.h"
#include "fgnn/cli/errors.h"
#include "fgnn/cli/options.h"
#include "fgnn/codes/decoders.h"
#include "fgnn/core/suggest.h"
#include "fgnn/experiments/experiment.h"
#include "fgnn/experiments/registry.h"
#include "fgnn/infer/methods.h"
#include "fgnn/io/files.h"
#include "fgnn/network/description.h"
#include "fgnn/potentials/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

TextTable list_methods() {
  TextTable table({{"task"}, {"method"}, {"what it does"}, {"cost"}, {"guarantee"}});
  for (const Method& method : methods()) {
    table.add({std::string(name(method.query)), method.name, method.description, method.cost,
               method.guarantee});
  }
  return table;
}

TextTable list_settings() {
  TextTable table({{"setting"}, {"what it does"}, {"methods that take it"}});
  for (const MethodSetting& setting : method_settings()) {
    std::vector<std::string> takers;
    for (const Method& method : methods()) {
      const bool known = std::ranges::find(takers, method.name) != takers.end();
      if (method.takes(setting.name) && !known) takers.push_back(method.name);
    }
    table.add({setting.name, setting.description, fmt::format("{}", fmt::join(takers, ", "))});
  }
  return table;
}

TextTable list_formats() {
  TextTable table({{"format"}, {"ending"}, {"what it holds"}});
  for (const FormatInfo& format : graph_formats()) {
    table.add({format.name, format.ending, format.description});
  }
  return table;
}

TextTable list_potentials() {
  TextTable table({{"kind"}, {"log phi(x) on n variables of d states"}, {"memory"}});
  for (const PotentialKind& kind : potential_kinds()) {
    table.add({kind.name, kind.formula, kind.memory});
  }
  return table;
}

TextTable list_decoders() {
  TextTable table({{"decoder"}, {"what it does"}, {"cost"}, {"settings"}});
  for (const codes::DecoderInfo& decoder : codes::decoders()) {
    table.add({decoder.name, decoder.description, decoder.cost,
               fmt::format("{}", fmt::join(decoder.settings, ", "))});
  }
  return table;
}

TextTable list_decoder_settings() {
  TextTable table({{"setting"}, {"value"}, {"what it does"}});
  for (const auto& setting : codes::decoder_settings()) {
    table.add({setting.name, setting.value, setting.description});
  }
  return table;
}

TextTable list_suites() {
  TextTable table({{"suite"}, {"what it measures"}, {"baseline"}});
  for (const bench::Suite& suite : bench::suites()) {
    table.add({suite.name, suite.description, suite.baseline});
  }
  return table;
}

TextTable list_networks() {
  TextTable table({{"network"}, {"what it is"}, {"layers"}});
  for (const network::Preset& preset : network::presets()) {
    const auto d = network::describe(preset.name);
    table.add({preset.name, preset.description, d.network});
  }
  return table;
}

TextTable list_tasks() {
  TextTable table({{"task"}, {"what is learned"}, {"settings"}});
  for (const experiments::TaskInfo& task : experiments::task_list()) {
    std::string settings;
    for (const auto& setting : task.settings) {
      settings +=
          fmt::format("{}{}={}", settings.empty() ? "" : " ", setting.name, setting.fallback);
    }
    table.add({task.name, task.description, settings});
  }
  return table;
}

TextTable list_errors() {
  TextTable table({{"error"}, {"exit code", Align::right}, {"meaning"}});
  for (const ErrorInfo& error : kErrors) {
    table.add(
        {std::string(name(error.code)), fmt::format("{}", exit_code(error.code)), error.meaning});
  }
  return table;
}

TextTable list_task_settings() {
  TextTable table({{"task"}, {"setting"}, {"default"}, {"what it is"}});
  for (const experiments::TaskInfo& task : experiments::task_list()) {
    for (const auto& s : task.settings) table.add({task.name, s.name, s.fallback, s.help});
  }
  return table;
}

TextTable list_experiments() {
  TextTable table({{"experiment"}, {"what it is"}, {"tables"}});
  for (const experiments::Experiment& e : experiments::list()) {
    std::string tables;
    for (const auto& t : e.reproduction.tables) tables += (tables.empty() ? "" : " ") + t.name;
    table.add({e.name, e.description, tables});
  }
  return table;
}

using Topic = experiments::List;

std::vector<Topic> topics() {
  std::vector<Topic> all{{"methods", list_methods},
                         {"settings", list_settings},
                         {"formats", list_formats},
                         {"potentials", list_potentials},
                         {"suites", list_suites},
                         {"decoders", list_decoders},
                         {"decoder-settings", list_decoder_settings},
                         {"networks", list_networks},
                         {"experiments", list_experiments},
                         {"tasks", list_tasks},
                         {"task-settings", list_task_settings},
                         {"errors", list_errors}};
  for (const auto& e : experiments::list()) all.insert(all.end(), e.lists.begin(), e.lists.end());
  return all;
}

TextTable table_of(const std::string& wanted) {
  std::vector<std::string> known;
  for (const Topic& topic : topics()) {
    if (topic.name == wanted) return topic.table();
    known.push_back(topic.name);
  }
  throw Error(ErrorCode::usage, fmt::format("'{}'", wanted), "there is no such list",
              suggestion(wanted, known));
}

struct Options {
  std::string topic;
  OutputOptions output;
};

}  // namespace

void add_list(CLI::App& app) {
  auto options = std::make_shared<Options>();
  std::vector<std::string> names;
  for (const Topic& topic : topics()) names.push_back(topic.name);
  CLI::App* command = add_command(app, "list", "Methods, settings, formats, potentials, …",
                                  "Prints one line per entry, with its cost and guarantee.",
                                  {"fgnn list methods", "fgnn list formats --json"});
  command->add_option("TOPIC", options->topic, fmt::format("{}", fmt::join(names, ", ")))
      ->required()
      ->type_name("");
  options->output.declare_json(*command);
  command->callback([options] {
    const TextTable table = table_of(options->topic);
    options->output.deliver(options->output.json ? table.json() : table.text());
  });
}

}  // namespace fgnn::cli
