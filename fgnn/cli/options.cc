#include "fgnn/cli/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "fgnn/cluster/launch.h"
#include "fgnn/core/error.h"
#include "fgnn/core/output.h"
#include "fgnn/core/parse.h"
#include "fgnn/graph/find_variable.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/files.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

// An option whose value is VARIABLE=SOMETHING.
struct Observation {
  std::string option, form, example;

  [[noreturn]] void refuse(const std::string& text) const {
    throw Error(ErrorCode::usage, fmt::format("{} {}", option, text), "is not VARIABLE=" + form,
                fmt::format("write for example {} '{}'", option, example));
  }
};
const Observation kSet{"--set", "STATE", "x[3]=1"};
const Observation kWeigh{"--weigh", "LOGS", "x[3]=0,-1.5"};

// The variable, and the numbers after the last equals sign.
template <class Number>
std::pair<VariableId, std::vector<Number>> parse(const FactorGraph& graph, const Observation& as,
                                                 const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos) as.refuse(text);
  std::vector<Number> numbers;
  try {
    for (const std::string& piece : split(std::string_view(text).substr(equals + 1), ',')) {
      numbers.push_back(parse_number<Number>(piece, "a number"));
    }
  } catch (const Error&) {
    as.refuse(text);
  }
  const std::string name = text.substr(0, equals);
  return {find_variable(graph, name, fmt::format("{} {}", as.option, text)), std::move(numbers)};
}

// The parser of the command line would take 010 for eight, and what is beyond 64 bits for their
// largest number.
std::string tidy_whole(std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return {};
  text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() ? "" : text + " is too large";
}

CLI::Validator range_check(bool (*fits)(double), const std::string& complaint) {
  return CLI::Validator(
      [=](std::string& text) {
        if (std::string problem = tidy_whole(text); !problem.empty()) return problem;
        double value = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc() || rest != end) return fmt::format("'{}' is not a number", text);
        return fits(value) ? std::string() : fmt::format("{} {}", text, complaint);
      },
      "");
}

}  // namespace

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& prints, const std::vector<std::string>& examples) {
  std::string footer = prints + "\n\nExamples:";
  for (const std::string& example : examples) footer += "\n  " + example;
  CLI::App* command = app.add_subcommand(name, description);
  command->footer(footer);
  return command;
}

CLI::Validator not_negative() {
  return range_check([](double value) { return value >= 0; }, "must not be negative");
}

CLI::Validator positive() {
  return range_check([](double value) { return value > 0; }, "must be above zero");
}

void LimitOptions::declare_memory(CLI::App& command) {
  command.add_option("--memory", memory, "Most memory, of the model and of solving it")
      ->type_name("SIZE")
      ->capture_default_str();
}

void LimitOptions::declare(CLI::App& command) {
  declare_memory(command);
  command
      .add_option("--time-limit", time_limit, "Seconds after which to give up, reading included")
      ->check(positive())
      ->type_name("SECONDS");
}

ReadLimits LimitOptions::reading(const Deadline& clock) const {
  ReadLimits limits;
  limits.max_bytes = parse_bytes(memory);
  limits.deadline = &clock;
  return limits;
}

Budget LimitOptions::budget(const std::string& subject) const {
  return Budget(subject, parse_bytes(memory), clock());
}

void LimitOptions::apply(MethodOptions& options, const FactorGraph& graph) const {
  // The graph given the evidence, and the one that a plan keeps, have unaries of their own.
  Budget all = budget("solving");
  all.take(graph.bytes() + 2 * sizeof(double) * graph.total_states());
  options.max_bytes = all.max_bytes() - all.held();
  options.time_limit = clock().remaining();
  if (!(options.time_limit > 0)) {
    throw Error(ErrorCode::time_limit, "time limit", "it is over before solving began",
                "allow more with --time-limit");
  }
}

void ModelOptions::declare(CLI::App& command) {
  command.add_option("FILE", file, "The factor graph; '-' is standard input")
      ->required()
      ->type_name("");
  command.add_option("--from", format, "Its format, when the ending does not tell (list formats)")
      ->type_name("FORMAT");
}

FactorGraph ModelOptions::read(const LimitOptions& limits) const {
  const Deadline clock = limits.clock();
  return read_graph(file, format, limits.reading(clock));
}

std::string ModelOptions::name() const { return file == "-" ? "standard input" : file; }

void EvidenceOptions::declare(CLI::App& command) {
  command.add_option("--evidence", file, "UAI evidence: count, then variable and state each")
      ->type_name("FILE");
  command.add_option("--set", set, "Observe a variable, as in --set 'x[3]=1'; may be repeated")
      ->allow_extra_args(false)
      ->type_name("VARIABLE=STATE");
  command
      .add_option("--weigh", weigh,
                  "Weigh the states of a variable, as in --weigh 'x[3]=0,-1.5': natural logarithms "
                  "that are added to its own; -inf rules a state out")
      ->allow_extra_args(false)
      ->type_name("VARIABLE=LOGS");
}

Evidence EvidenceOptions::read(const FactorGraph& graph) const {
  Evidence evidence = file.empty() ? Evidence{} : read_evidence(graph, file);
  for (const std::string& text : set) {
    const auto [variable, states] = parse<State>(graph, kSet, text);
    if (states.size() != 1) kSet.refuse(text);
    evidence.fix(variable, states[0]);
  }
  for (const std::string& text : weigh) {
    auto [variable, logs] = parse<double>(graph, kWeigh, text);
    evidence.weigh(variable, std::move(logs));
  }
  return evidence;
}

void SolverOptions::declare_threads(CLI::App& command) {
  command.add_option("--threads", threads, "Threads to use; 0: all processors")
      ->check(not_negative())
      ->type_name("N");
  command.add_option("--seed", seed, "Seed of everything random; same seed, same answer")
      ->check(not_negative())
      ->type_name("N");
}

void SolverOptions::declare_limits(CLI::App& command) {
  limits.declare(command);
  declare_threads(command);
}

void SolverOptions::declare_settings(CLI::App& command, std::initializer_list<Query> queries) {
  for (const MethodSetting& setting : method_settings()) {
    const auto taken = [&](const Method& entry) {
      return std::ranges::find(queries, entry.query) != queries.end() && entry.takes(setting.name);
    };
    if (std::ranges::none_of(methods(), taken)) continue;
    const std::string flag = "--" + setting.name;
    const auto set = [this, &setting, flag](const std::string& text) {
      try {
        setting.set(settings, text);
      } catch (const Error& error) {
        throw Error(error.code(), flag, error.what());
      }
    };
    if (setting.value.empty()) {
      command.add_flag_callback(
          flag, [set] { set("yes"); }, setting.description);
    } else {
      command.add_option_function<std::string>(flag, set, setting.description)
          ->type_name(setting.value);
    }
  }
}

void SolverOptions::declare(CLI::App& command, Query query) {
  std::string known;
  for (const Method& entry : methods()) {
    if (entry.query == query) known += (known.empty() ? "" : ", ") + entry.name;
  }
  command.add_option("--method", method, known)->type_name("NAME")->capture_default_str();
  declare_limits(command);
  declare_settings(command, {query});
}

MethodOptions SolverOptions::get() const {
  MethodOptions options = settings;
  options.max_bytes = parse_bytes(limits.memory);
  options.time_limit = limits.time_limit;
  options.threads = threads;
  options.seed = seed;
  return options;
}

void OutputOptions::declare_json(CLI::App& command) {
  command.add_flag("--json", json, "Print JSON instead of a table");
}

void OutputOptions::declare(CLI::App& command) {
  declare_json(command);
  declare_file(command);
}

void OutputOptions::declare_file(CLI::App& command) {
  command.add_option("--out", file, "Write the answer to this file instead of standard output")
      ->type_name("FILE");
  command.add_flag("--all", all, "Do not shorten long tables on a terminal");
}

void OutputOptions::deliver(const std::string& text) const {
  if (!cluster::launch().first()) return;
  if (file.empty()) {
    print_result(text);
  } else {
    write_file(file, [&](std::ostream& out) { out << text; });
  }
}

std::size_t OutputOptions::rows() const { return file.empty() ? rows_to_show(all) : 0; }

}  // namespace fgnn::cli
