#include "fgnn/experiments/motion/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/experiments/motion/corpus.h"
#include "fgnn/experiments/motion/paper.h"
#include "fgnn/experiments/motion/windows.h"
#include "fgnn/experiments/outcomes.h"

namespace fgnn::motion {
namespace {

using Numbers = std::vector<std::optional<double>>;

const std::vector<std::string>& long_actions() {
  static const std::vector<std::string> four{"walking", "eating", "smoking", "discussion"};
  return four;
}

std::vector<std::string> actions_of(const TableSpec& t) {
  if (t.longer) return long_actions();
  return t.dataset == "cmu" ? cmu_actions() : h36m_actions();
}

// At the table's horizons; "mean" is over its actions.
Numbers figures(const TableSpec& t, const Errors& e, const std::string& action) {
  Numbers all(t.last_horizon - t.first_horizon + 1);
  std::vector<std::vector<double>> rows;
  for (std::size_t a = 0; a < e.actions.size(); ++a) {
    const auto wanted = actions_of(t);
    const bool counts = action == "mean" ? std::ranges::find(wanted, e.actions[a]) != wanted.end()
                                         : e.actions[a] == action;
    if (counts) rows.push_back(e.by_action[a]);
  }
  const auto mean = mean_of(rows);
  for (std::size_t h = t.first_horizon; h <= t.last_horizon && h < mean.size(); ++h) {
    all[h - t.first_horizon] = mean[h];
  }
  return all;
}

void add_published(const TableSpec& t, const std::string& action, std::vector<Row>& rows) {
  if (t.windows != 8) return;  // nobody published others
  for (const Published& p : published_figures()) {
    if (p.dataset != t.dataset || p.form != t.form || p.longer != t.longer) continue;
    for (const PublishedRow& r : p.rows) {
      if (r.action != action) continue;
      Row row{.table = t.name, .action = action, .method = p.method};
      row.from = Row::From::published;
      for (std::size_t h = t.first_horizon; h <= t.last_horizon; ++h) {
        row.errors.push_back(r.errors[h] < 0 ? std::nullopt : std::optional(r.errors[h]));
      }
      rows.push_back(std::move(row));
    }
  }
}

// Mean and deviation over the seeds that are there.
Row trained(const TableSpec& t, const std::string& action, const std::string& network,
            const ReportOptions& o, const std::vector<Outcome>& outcomes) {
  Row row{.table = t.name, .action = action, .method = network};
  std::vector<Numbers> seeds;
  for (const Run& run : runs_of(t, o)) {
    if (run.network != network) continue;
    ++row.planned;
    const Outcome* found = experiments::find_outcome(outcomes, run);
    if (found == nullptr) continue;
    ++row.finished;
    row.parameters = found->parameters;
    row.hours += found->seconds / 3600;
    seeds.push_back(figures(t, found->errors.at(t.windows), action));
  }
  const std::size_t horizons = t.last_horizon - t.first_horizon + 1;
  row.errors.resize(horizons);
  row.deviations.resize(horizons);
  for (std::size_t h = 0; h < horizons; ++h) {
    double sum = 0, squares = 0, n = 0;
    for (const Numbers& s : seeds) {
      if (!s[h]) continue;
      sum += *s[h];
      squares += *s[h] * *s[h];
      n += 1;
    }
    if (n > 0) row.errors[h] = sum / n;
    if (n > 1) row.deviations[h] = std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1)));
  }
  return row;
}

struct Baseline {
  std::string name;
  Errors errors;
};

std::vector<Baseline> baselines(const TableSpec& t, const Corpus& corpus,
                                const std::vector<Sequence>& sequences) {
  std::vector<Baseline> all;
  const Body body(corpus.layout(), t.form);
  const auto add = [&](const char* name, auto rule) {
    const auto forecast = [&](const std::vector<Rows>& observed) {
      std::vector<Rows> rows;
      for (const Rows& o : observed) rows.push_back(rule(o, t.predicted));
      return rows;
    };
    all.push_back(
        {name, evaluate(body, corpus.actions(), sequences, t.windows, t.predicted, forecast)});
  };
  add("last frame", last_frame);
  add("constant velocity", constant_velocity);
  return all;
}

std::string cell(const TableSpec& t, const Row& row, std::size_t h) {
  if (!row.errors[h]) return "";
  const int digits = t.form == Form::angle ? 2 : 1;
  const bool spread = h < row.deviations.size() && row.deviations[h];
  return spread
             ? fmt::format("{:.{}f} ± {:.{}f}", *row.errors[h], digits, *row.deviations[h], digits)
             : fmt::format("{:.{}f}", *row.errors[h], digits);
}

}  // namespace

std::vector<Row> rows_of(const ReportOptions& o, const std::vector<Outcome>& outcomes) {
  std::vector<Row> rows;
  std::string read;  // the data set whose test sequences are at hand
  std::optional<Corpus> corpus;
  std::vector<Sequence> sequences;
  for (const TableSpec& t : table_specs()) {
    if (!o.wants(t)) continue;
    const std::string& folder = o.data(t.dataset);
    if (!folder.empty() && read != t.dataset) {
      corpus.emplace(folder);
      sequences = corpus->read(Split::test, o.threads);
      read = t.dataset;
    }
    const auto measured =
        folder.empty() ? std::vector<Baseline>() : baselines(t, *corpus, sequences);
    auto actions = actions_of(t);
    actions.insert(actions.begin(), "mean");
    for (const auto& action : actions) {
      add_published(t, action, rows);
      for (const Baseline& b : measured) {
        Row row{.table = t.name, .action = action, .method = b.name};
        row.from = Row::From::baseline;
        row.errors = figures(t, b.errors, action);
        rows.push_back(std::move(row));
      }
      for (const auto& network : o.networks) {
        rows.push_back(trained(t, action, network, o, outcomes));
      }
    }
  }
  return rows;
}

report::HtmlTable printed(const TableSpec& t, const std::vector<Row>& rows) {
  report::HtmlTable out{{"action", "method", "from"}, {}, 3};
  for (std::size_t h = t.first_horizon; h <= t.last_horizon; ++h) {
    out.titles.push_back(fmt::format("{} ms", kHorizons[h].milliseconds));
  }
  out.titles.insert(out.titles.end(), {"parameters", "hours", "seeds"});
  for (const Row& row : rows) {
    if (row.table != t.name) continue;
    const bool ours = row.from == Row::From::trained;
    if (ours && row.finished == 0 && row.action != "mean") continue;
    std::vector<std::string> cells{row.action, row.method,
                                   row.from == Row::From::published ? "published" : "here"};
    for (std::size_t h = 0; h < row.errors.size(); ++h) cells.push_back(cell(t, row, h));
    const bool all = ours && row.action == "mean";
    cells.push_back(all && row.finished > 0 ? fmt::format("{:.0f}", row.parameters) : "");
    cells.push_back(all && row.finished > 0 ? fmt::format("{:.1f}", row.hours) : "");
    cells.push_back(all ? fmt::format("{} of {}", row.finished, row.planned) : "");
    out.rows.push_back(std::move(cells));
  }
  return out;
}

std::vector<std::string> notes(const TableSpec& t, const ReportOptions& o,
                               const std::vector<Row>& rows) {
  std::vector<std::string> all;
  const bool missing = std::ranges::any_of(
      rows, [&](const Row& r) { return r.table == t.name && r.finished < r.planned; });
  if (missing) {
    all.push_back(fmt::format(
        "rows without figures are made by: fgnn reproduce motion --{} {} --out {} --tables {} "
        "--epochs {} --seeds {}{}",
        t.dataset == "cmu" ? "data" : "h36m", o.data(t.dataset).empty() ? "DIR" : o.data(t.dataset),
        o.folder.empty() ? "DIR" : o.folder.string(), t.name, o.epochs, o.seeds,
        o.products == "float" ? "" : " --products " + o.products));
  }
  if (t.dataset == "cmu" && t.windows == 8) {
    all.push_back("eight windows of an action are few: the tables of 256 have less noise");
  }
  if (t.name == "h36m-3d-long") {
    all.push_back(
        "the paper compares FGNN with the GCN that was trained on angles; its authors' own model "
        "that was trained on positions is the row GCN");
  }
  return all;
}

}  // namespace fgnn::motion
