#include "fgnn/cli/program.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/errors.h"
#include "fgnn/cli/ranks.h"
#include "fgnn/core/output.h"
#include "fgnn/core/printable.h"
#include "fgnn/core/suggest.h"
#include "fgnn/core/warning.h"
#include "fgnn/io/temporary.h"
#include "fgnn/version.h"

namespace fgnn::cli {
namespace {

constexpr const char* kDescription =
    "Inference and learning on factor graphs: marginals, the partition function and the best\n"
    "assignments of models in .uai, .fg, .alist and .fgt files; networks that learn to find "
    "them.\n";

std::string footer() {
  std::string text =
      "Results go to standard output, everything else to standard error. The file '-' is standard\n"
      "input.\n\nExit codes:\n    0  done\n";
  for (const ErrorInfo& error : kErrors) {
    text +=
        fmt::format("  {:3}  {:<12} {}\n", exit_code(error.code), name(error.code), error.meaning);
  }
  return text + "\nStart with:\n  fgnn demo\n  fgnn infer --help";
}

constexpr std::size_t kLongest = 1000;  // characters of a line, whatever the parser said

int fail(ErrorCode code, const std::string& what) {
  report_failure(shortened(printable(what), kLongest), exit_code(code));
  return exit_code(code);
}

// Options and subcommands that an unknown word may have been meant for.
std::vector<std::string> known_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(sub->get_name());
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = &app;  // the innermost that was named
  std::string path = "fgnn";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands()[0];
    path += " " + command->get_name();
  }
  const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  std::vector<std::string> known = known_words(*command);
  if (command->get_require_subcommand_min() > 0) {
    const auto is_option = [](const std::string& word) { return word.starts_with("--"); };
    if (extras.empty() || !is_option(extras[0])) std::erase_if(known, is_option);
    const std::string of = command == &app ? "" : fmt::format(" of '{}'", path);
    if (extras.empty()) return fmt::format("which command{}? {}", of, suggestion("", known));
    return fmt::format("there is no command '{}'{}; {}", extras[0], of,
                       suggestion(extras[0], known));
  }
  const std::string help = fmt::format("see '{} --help'", path);
  if (extras.empty()) return fmt::format("{}; {}", error.what(), help);
  const std::string nearest = nearest_word(extras[0], known);
  return fmt::format("'{}' is not known here; {}{}", extras[0],
                     nearest.empty() ? "" : fmt::format("did you mean '{}'? ", nearest), help);
}

void declare(CLI::App& app) {
  app.name("fgnn");
  app.footer(footer());
  app.set_version_flag("--version", std::string("fgnn ") + kVersion, "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.get_formatter()->column_width(28);
  app.require_subcommand(1);
  add_info(app);
  add_check(app);
  add_convert(app);
  add_infer(app);
  add_map(app);
  add_compare(app);
  add_neuralize(app);
  add_train(app);
  add_eval(app);
  add_reproduce(app);
  add_model(app);
  add_code(app);
  add_ber(app);
  add_generate(app);
  add_experiments(app);
  add_list(app);
  add_bench(app);
}

// What was printed before a message belongs before it. That it cannot be delivered is said only
// where nothing else is to be said.
void flush_before_message() {
  try {
    flush_results();
  } catch (const Error&) {
  }
}

void parse_and_run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw;
    std::ostringstream help, nothing;  // --help, --version
    app.exit(error, help, nothing);
    print_result(help.str());
  }
  flush_results();
}

}  // namespace

int run(int argc, char** argv) {
  hold_standard_files();
  clean_up_on_signals();
  set_warning_sink([](const std::string& line) { print_message("fgnn: warning: " + line); });
  CLI::App app{kDescription};
  try {
    if (!takes_part({argv, static_cast<std::size_t>(argc)})) return 0;
    declare(app);
    parse_and_run(app, argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::usage, explain(app, error));
  } catch (const Error& error) {
    flush_before_message();
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::too_large, "out of memory; a smaller --memory refuses earlier");
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(ErrorCode::io, error.path1().string() + ": " + error.code().message());
  } catch (const std::exception& error) {
    return fail(ErrorCode::internal, error.what());
  } catch (...) {
    return fail(ErrorCode::internal, "unknown failure");
  }
}

}  // namespace fgnn::cli
