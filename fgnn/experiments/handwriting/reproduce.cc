#include "fgnn/experiments/handwriting/reproduce.h"

#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/experiments/handwriting/driver.h"
#include "fgnn/experiments/handwriting/page.h"
#include "fgnn/experiments/handwriting/trainer.h"
#include "fgnn/io/json_text.h"
#include "fgnn/report/json.h"

namespace fgnn::handwriting {
namespace {

experiments::ReportRow report_row(const HandwritingRow& row) {
  std::optional<double> error;
  if (row.deviation) error = *row.deviation / std::sqrt(static_cast<double>(row.finished));
  return {.table = row.table,
          .dataset = "letters",
          .method = row.setting,
          .ours = row.ours,
          .paper = row.paper,
          .unit = row.table == "timing" ? "s" : "%",
          .error = error,
          .note = row.note,
          .more = {{"setting", row.setting},
                   {"deviation", row.deviation},
                   {"paper_error", row.paper_error},
                   {"words", row.words},
                   {"minutes", row.minutes},
                   {"folds", std::uint64_t{row.finished}},
                   {"planned", std::uint64_t{row.planned}}}};
}

std::vector<std::uint32_t> folds(const experiments::Arguments& given, const std::string& option) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& text : given.list(option)) {
    try {
      numbers.push_back(parse_number<std::uint32_t>(text, "fold"));
    } catch (const Error& error) {
      throw Error(ErrorCode::usage, option, error.what());
    }
  }
  return numbers;
}

experiments::Report run(const experiments::Request& request) {
  HandwritingReportOptions options;
  options.data = request.data;
  options.folder = request.folder;
  options.tables = request.tables;
  options.quick = request.quick;
  options.threads = request.threads;
  options.seed = request.seed;
  options.control = request.control;
  options.folds = folds(request.options, "--folds");
  options.main_folds = folds(request.options, "--main-folds");
  if (request.options.has("--epochs")) options.epochs = request.options.number("--epochs");
  if (options.quick) options.folds = options.main_folds = {0};
  const auto results = reproduce_handwriting(options, handwriting_trainer(options));
  const auto rows = handwriting_rows(options, results);
  experiments::Report report;
  for (const auto& row : rows) report.rows.push_back(report_row(row));
  for (const report::TableInfo& table : handwriting_tables()) {
    report.tables.push_back({table.name + ": " + table.title, printed(table.name, rows),
                             handwriting_notes(table.name, rows)});
  }
  if (const auto fit = timing_fit(rows)) {
    report.further.emplace_back("fit", json_line(Json{{"intercept", fit->intercept},
                                                      {"slope", fit->slope},
                                                      {"r_squared", fit->r_squared}}));
  }
  report.page = [=] { return handwriting_page(options, results, rows); };
  return report;
}

constexpr const char* kHelp =
    R"(Trains the networks of section 5.4 on one fold, tests them on the others, and prints the percentage
of letters read right with its deviation over folds: orders (the largest order of factors, 0 to 4),
main (order 3 on all folds), timing (processor seconds of an epoch at orders 0 to 6, with a linear
fit), plain (without augmentation), baselines (CRF, MPNN, lexicon), product (the letters of a factor
multiplied instead of added), held-out (ten words left out of training) and ranks (64 to 2048).
Models and outcomes go to the folder --out as they come: the same command goes on where it was
stopped, and shows all that is there.
--json prints rows of table, dataset, method (the setting), ours (% of letters, or seconds), paper,
unit, stderr and deviation over folds, paper_error, words (% of whole words), minutes of processor
time, folds finished and planned; and the fit.)";

}  // namespace

experiments::DataSource letters_source() {
  return {"the file of handwritten letters", "letters/letters.tsv.gz",
          "UCI's letter.data of Taskar's set will do (docs/handwriting.md)"};
}

experiments::Reproduction reproduction() {
  using Kind = experiments::Option::Kind;
  return {
      .summary = "Words read in context: section 5.4",
      .help = kHelp,
      .examples =
          {"fgnn reproduce handwriting --data letters.tsv.gz --out runs/quick --quick",
           "fgnn reproduce handwriting --data letters.tsv.gz --out runs/words --html words.html",
           "fgnn reproduce handwriting --data letters.tsv.gz --out runs/words --tables main "
           "--json"},
      .quick = "One fold, rank 128, three epochs: minutes",
      .tables = handwriting_tables(),
      .options = {{"--folds", "N,…", "Folds of the studies", Kind::list, "0,1,2"},
                  {"--main-folds", "N,…", "Folds of the main result", Kind::list,
                   "0,1,2,3,4,5,6,7,8,9"},
                  {"--epochs", "N", "Of each training; 20", Kind::positive}},
      .data = letters_source(),
      .folder = "Folder of models and outcomes",
      .run = run};
}

}  // namespace fgnn::handwriting
