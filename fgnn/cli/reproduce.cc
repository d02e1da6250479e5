// fgnn reproduce: the paper's experiments, measured here, beside the paper's figures.
#include "fgnn/cli/reproduce.h"

#include "fgnn/cli/commands.h"
#include "fgnn/cli/match.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/learned/weights.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {

std::filesystem::path weights_folder(const std::string& given) {
  if (given.empty()) return learned::shipped_weights();
  std::error_code failure;
  if (!std::filesystem::is_directory(given, failure)) {
    throw Error(ErrorCode::io, given, "is not a folder",
                "--weights wants the folder of NAME.safetensors");
  }
  return given;
}

std::string printed_text(const report::HtmlTable& printed) {
  std::vector<TextTable::Column> columns;
  for (std::size_t j = 0; j < printed.titles.size(); ++j) {
    columns.push_back({printed.titles[j], j < printed.left ? Align::left : Align::right});
  }
  TextTable table(columns);
  for (const auto& row : printed.rows) table.add(row);
  return table.text();
}

void add_reproduce(CLI::App& app) {
  CLI::App* reproduce =
      add_command(app, "reproduce", "The paper's experiments, measured here",
                  "Tables with the paper's figures beside ours, as text, JSON and a page of HTML.",
                  {"fgnn reproduce synthetic --quick", "fgnn reproduce ldpc --quick"});
  reproduce->require_subcommand(1);
  add_reproduce_synthetic(*reproduce);
  add_reproduce_ldpc(*reproduce);
  add_reproduce_handwriting(*reproduce);
  add_reproduce_matching(*reproduce);
}

}  // namespace fgnn::cli
