// fgnn reproduce handwriting: section 5.4 of the paper.
#include <fmt/format.h>

#include <memory>

#include "fgnn/cli/options.h"
#include "fgnn/cli/reproduce.h"
#include "fgnn/core/parallel.h"
#include "fgnn/experiments/handwriting/page.h"
#include "fgnn/experiments/handwriting/trainer.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/report/json.h"

namespace fgnn::cli {
namespace {

struct Options {
  std::string html;
  handwriting::HandwritingReportOptions report;
  SolverOptions solver;
  OutputOptions output;
};

Json json_of(const std::vector<handwriting::HandwritingRow>& rows) {
  Json list = Json::array();
  for (const auto& row : rows) {
    Json object{{"table", row.table}, {"setting", row.setting}};
    object["ours"] = optional_json(row.ours);
    object["deviation"] = optional_json(row.deviation);
    object["paper"] = optional_json(row.paper);
    object["paper_error"] = optional_json(row.paper_error);
    object["words"] = optional_json(row.words);
    object["minutes"] = optional_json(row.minutes);
    object["folds"] = row.finished;
    object["planned"] = row.planned;
    if (!row.note.empty()) object["note"] = row.note;
    list.push_back(std::move(object));
  }
  Json json{{"rows", std::move(list)}};
  if (const auto fit = handwriting::timing_fit(rows)) {
    json["fit"] = {
        {"intercept", fit->intercept}, {"slope", fit->slope}, {"r_squared", fit->r_squared}};
  }
  return json;
}

std::string text_of(const std::vector<handwriting::HandwritingRow>& rows) {
  return printed_tables(
      handwriting::handwriting_tables(),
      [&](const std::string& table) { return handwriting::printed(table, rows); },
      [&](const std::string& table) { return handwriting::handwriting_notes(table, rows); });
}

void run(Options& options) {
  auto& report = options.report;
  report.threads = options.solver.threads > 0 ? options.solver.threads : default_threads();
  report.seed = options.solver.seed;
  if (report.quick) report.folds = report.main_folds = {0};
  const auto results = handwriting::reproduce_handwriting(report, handwriting_trainer(report));
  const auto rows = handwriting::handwriting_rows(report, results);
  if (!options.html.empty()) {
    write_file(options.html, [&](std::ostream& out) {
      out << handwriting::handwriting_page(report, results, rows);
    });
  }
  options.output.deliver(options.output.json ? json_text(json_of(rows)) : text_of(rows));
}

constexpr const char* kPrints =
    R"(Trains the networks of section 5.4 on one fold, tests them on the others, and prints the percentage
of letters read right with its deviation over folds: orders (the largest order of factors, 0 to 4),
main (order 3 on all folds), timing (processor seconds of an epoch at orders 0 to 6, with a linear
fit), plain (without augmentation), baselines (CRF, MPNN, lexicon), product (the letters of a factor
multiplied instead of added), held-out (ten words left out of training) and ranks (64 to 2048).
Models and outcomes go to the folder --out as they come: the same command goes on where it was
stopped, and shows all that is there.
--json prints rows of table, setting, ours (% of letters, or seconds), deviation, paper, paper_error,
words (% of whole words), minutes of processor time, folds finished and planned; and the fit.)";

}  // namespace

void add_reproduce_handwriting(CLI::App& reproduce) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      reproduce, "handwriting", "Words read in context: section 5.4", kPrints,
      {"fgnn reproduce handwriting --data letters.tsv.gz --out runs/quick --quick",
       "fgnn reproduce handwriting --data letters.tsv.gz --out runs/words --html words.html",
       "fgnn reproduce handwriting --data letters.tsv.gz --out runs/words --tables main --json"});
  auto& report = options->report;
  command->add_option("--data", report.data, "The file of letters")->required()->type_name("FILE");
  command->add_option("--out", report.folder, "Folder of models and outcomes")
      ->required()
      ->type_name("DIR");
  command->add_option("--tables", report.tables, "Which ones, separated by commas; default all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TABLES");
  command->add_flag("--quick", report.quick, "One fold, rank 128, three epochs: minutes");
  command->add_option("--folds", report.folds, "Folds of the studies; 0,1,2")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,…");
  command->add_option("--main-folds", report.main_folds, "Folds of the main result; all ten")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,…");
  command->add_option("--epochs", report.epochs, "Of each training; 20")
      ->check(positive())
      ->type_name("N");
  command->add_option("--html", options->html, "Also write a page with plots")->type_name("FILE");
  options->solver.declare_threads(*command);
  options->output.declare_json(*command);
  command->callback([options] { run(*options); });
}

}  // namespace fgnn::cli
