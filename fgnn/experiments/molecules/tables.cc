#include "fgnn/experiments/molecules/tables.h"

#include <fmt/format.h>

#include <cmath>

#include "fgnn/experiments/molecules/paper.h"
#include "fgnn/experiments/outcomes.h"
#include "fgnn/report/chart.h"

namespace fgnn::molecules {
namespace {

// The mean over the outcomes of some runs.
Row row_of(const std::string& table, const std::string& method, const std::vector<Run>& runs,
           const std::vector<Outcome>& outcomes) {
  Row row{.table = table, .method = method, .error = std::vector<std::optional<double>>(kTargets)};
  row.planned = runs.size();
  std::vector<double> count(kTargets);
  double standardised = 0;
  for (const Run& run : runs) {
    const Outcome* o = experiments::find_outcome(outcomes, run);
    if (o == nullptr) continue;
    ++row.finished;
    for (std::size_t t = 0; t < kTargets; ++t) {
      if (!o->error[t]) continue;
      row.error[t] = row.error[t].value_or(0) + *o->error[t];
      count[t] += 1;
    }
    standardised += o->standardised;
    row.parameters = o->parameters;
    row.epochs = o->epochs;
    row.hours += o->seconds / 3600;
  }
  for (std::size_t t = 0; t < kTargets; ++t) {
    if (row.error[t]) *row.error[t] /= count[t];
  }
  if (row.finished > 0) row.standardised = standardised / static_cast<double>(row.finished);
  return row;
}

void add_paper(const std::string& table, const std::vector<PaperColumn>& columns,
               const std::string& suffix, std::vector<Row>& rows) {
  for (const PaperColumn& column : columns) {
    Row row{.table = table, .method = column.method + suffix, .paper = true};
    for (const double e : column.error) {
      row.error.push_back(std::isnan(e) ? std::nullopt : std::optional(e));
    }
    rows.push_back(std::move(row));
  }
}

// What a run is called in its table.
std::string method_of(const std::string& table, const Run& run) {
  const std::string network = run.network == "fgnn"   ? "FGNN"
                              : run.network == "mpnn" ? "MPNN"
                                                      : "MPNN enlarged";
  const bool invariant = run.graph.form == Form::invariant;
  if (table == "sharing") return name(run.graph.sharing);
  if (table == "ranks") return fmt::format("rank {}", run.rank > 0 ? run.rank : 512);
  if (table == "pairs") return fmt::format("{}, {}", network, name(run.graph.pairs));
  if (table == "joint" && run.reference == Reference::none) return network + ", raw energies";
  if (table == "positions" && run.graph.form == Form::positions) return network + ", positions";
  return invariant ? network + ", invariant" : network;
}

std::string number(const std::optional<double>& value) {
  if (!value) return "";
  const int digits = *value >= 100 ? 0 : *value >= 10 ? 1 : *value >= 1 ? 2 : 4;
  return fmt::format("{:.{}f}", *value, digits);
}

std::string command_for(const std::string& table, const ReportOptions& o) {
  std::string command = fmt::format("fgnn reproduce molecules --data {} --out {} --tables {}",
                                    o.data.empty() ? "FILE" : o.data,
                                    o.folder.empty() ? "DIR" : o.folder.string(), table);
  if (o.quick) command += " --quick";
  if (o.epochs > 0) command += fmt::format(" --epochs {}", o.epochs);
  if (o.seeds > 1) command += fmt::format(" --seeds {}", o.seeds);
  if (o.products != "float") command += " --products " + o.products;
  return command;
}

// Error by rank, where there are two at least.
std::string rank_chart(const std::vector<Row>& rows) {
  report::LineChart chart{"ranks", "rank of factors", "mean error (deviations)", {{"FGNN", {}}}};
  for (const Row& row : rows) {
    if (row.table != "ranks" || !row.standardised) continue;
    chart.lines[0].points.emplace_back(std::stod(row.method.substr(5)), *row.standardised);
  }
  return chart.lines[0].points.size() < 2 ? "" : report::svg(chart);
}

}  // namespace

std::vector<Row> rows_of(const ReportOptions& o, const std::vector<Outcome>& outcomes) {
  std::vector<Row> rows;
  for (const auto& [table, title] : molecule_tables()) {
    if (!o.wants(table)) continue;
    if (table == "joint") add_paper(table, paper_joint(), "", rows);
    if (table == "positions") add_paper(table, paper_positions_joint(), "", rows);
    if (table == "separate") {
      add_paper(table, paper_separate(), "", rows);
      add_paper(table, paper_positions_separate(), ", positions", rows);
    }
    if (table == "sharing") add_paper(table, paper_sharing(), "", rows);
    if (table == "pairs") {
      for (const PaperSetting& s : paper_settings()) {
        for (const auto& [method, value] : {std::pair("MPNN", s.mpnn), {"FGNN", s.fgnn}}) {
          rows.push_back({.table = table,
                          .method = fmt::format("{}, {} (Alchemy)", method, s.pairs),
                          .paper = true,
                          .error = std::vector<std::optional<double>>(kTargets),
                          .standardised = value});
        }
      }
    }
    std::vector<std::pair<std::string, std::vector<Run>>> groups;  // in the order of the runs
    for (const Run& run : runs_of(table, o)) {
      const std::string method = method_of(table, run);
      auto group =
          std::ranges::find(groups, method, &std::pair<std::string, std::vector<Run>>::first);
      if (group == groups.end()) group = groups.insert(groups.end(), {method, {}});
      group->second.push_back(run);
    }
    for (const auto& [method, runs] : groups) rows.push_back(row_of(table, method, runs, outcomes));
  }
  return rows;
}

report::HtmlTable printed(const std::string& table, const std::vector<Row>& rows) {
  report::HtmlTable out;
  out.titles = {"method", "source"};
  for (const Target& t : targets()) out.titles.push_back(fmt::format("{} {}", t.name, t.unit));
  for (const char* title : {"mean, deviations", "parameters", "epochs", "hours", "runs"}) {
    out.titles.emplace_back(title);
  }
  out.left = 2;
  for (const Row& row : rows) {
    if (row.table != table) continue;
    std::vector<std::string> cells{row.method, row.paper ? "paper" : "ours"};
    for (const auto& e : row.error) cells.push_back(number(e));
    cells.push_back(number(row.standardised));
    const bool trained = row.finished > 0;
    cells.push_back(trained ? fmt::format("{:.0f}", row.parameters) : "");
    cells.push_back(trained ? fmt::format("{:.0f}", row.epochs) : "");
    cells.push_back(trained ? fmt::format("{:.1f}", row.hours) : "");
    cells.push_back(row.paper ? "" : fmt::format("{} of {}", row.finished, row.planned));
    out.rows.push_back(std::move(cells));
  }
  return out;
}

std::vector<std::string> notes(const std::string& table, const ReportOptions& options,
                               const std::vector<Row>& rows) {
  std::vector<std::string> all;
  bool missing = false;
  for (const Row& row : rows) missing |= row.table == table && row.finished < row.planned;
  if (missing) all.push_back("rows without figures are made by: " + command_for(table, options));
  if (options.quick) {
    all.push_back(
        "--quick: a small part of the paper's training, not to be compared with its "
        "figures");
  }
  if (table == "joint") {
    all.push_back(
        "the paper's row MPNN is weaker than the example it names (mu .061 D in PyTorch "
        "Geometric's issue 1550): compare FGNN with our MPNN");
    all.push_back(
        "ours take off the least-squares contribution of atoms first, but for the row "
        "with raw energies, which is what the paper's table seems to have");
  }
  if (table == "pairs") all.push_back("the paper's figures are for Alchemy; ours are for QM9");
  return all;
}

std::string page(const ReportOptions& options, const std::vector<Row>& rows) {
  std::vector<report::Section> sections;
  for (const auto& [table, title] : molecule_tables()) {
    report::Section section{title, "", printed(table, rows), {}};
    if (section.table.rows.empty()) continue;
    for (const auto& note : notes(table, options, rows)) section.text += note + ". ";
    if (table == "ranks") {
      if (auto chart = rank_chart(rows); !chart.empty()) section.drawings.push_back(chart);
    }
    sections.push_back(std::move(section));
  }
  return report::html_page(
      "Molecules", "Section 5.5 of the paper: mean absolute errors on test molecules of QM9.",
      sections);
}

}  // namespace fgnn::molecules
