// One function per subcommand: declares its options and what to do when it is chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace fgnn::cli {

void add_info(CLI::App& app);
void add_check(CLI::App& app);
void add_convert(CLI::App& app);
void add_infer(CLI::App& app);
void add_map(CLI::App& app);
void add_compare(CLI::App& app);
void add_neuralize(CLI::App& app);
void add_train(CLI::App& app);
void add_eval(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_model(CLI::App& app);
void add_code(CLI::App& app);
void add_ber(CLI::App& app);
void add_generate(CLI::App& app);
void add_list(CLI::App& app);
void add_bench(CLI::App& app);
// Those that experiments bring.
void add_experiments(CLI::App& app);

}  // namespace fgnn::cli
