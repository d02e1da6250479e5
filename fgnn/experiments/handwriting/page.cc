#include "fgnn/experiments/handwriting/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "fgnn/experiments/handwriting/word_picture.h"
#include "fgnn/experiments/handwriting/word_reader.h"
#include "fgnn/io/input_file.h"
#include "fgnn/report/chart.h"

namespace fgnn::handwriting {
namespace {

constexpr std::size_t kShownWords = 12, kSearchedWords = 600, kShownConfusions = 12;

report::LineChart chart_of(const std::string& table, const std::string& x_label,
                           const std::string& y_label, const std::vector<HandwritingRow>& rows) {
  report::LineChart chart{"handwriting_" + table, x_label, y_label, {{"here", {}}, {"paper", {}}}};
  for (const auto& row : rows) {
    if (row.table != table || row.x < 0) continue;
    if (row.ours) chart.lines[0].points.emplace_back(row.x, *row.ours);
    if (row.paper) chart.lines[1].points.emplace_back(row.x, *row.paper);
  }
  std::erase_if(chart.lines, [](const auto& line) { return line.points.empty(); });
  return chart;
}

std::vector<std::string> drawings(const std::string& table,
                                  const std::vector<HandwritingRow>& rows) {
  report::LineChart chart;
  if (table == "orders") chart = chart_of(table, "largest order", "letters read right, %", rows);
  if (table == "ranks") chart = chart_of(table, "rank", "letters read right, %", rows);
  if (table == "timing") {
    chart = chart_of(table, "largest order", "seconds per epoch", rows);
    if (const auto fit = timing_fit(rows)) {
      chart.lines.push_back(
          {"linear fit", {{0, fit->intercept}, {6, fit->intercept + 6 * fit->slope}}});
    }
  }
  if (chart.lines.empty()) return {};
  const std::string drawn = report::svg(chart);
  return drawn.empty() ? std::vector<std::string>{} : std::vector<std::string>{drawn};
}

HandwritingRun run_of(std::size_t order, const HandwritingReportOptions& o) {
  for (const auto& run : handwriting_runs("orders", o)) {
    if (run.order == order && run.fold == o.folds[0]) return run;
  }
  return {};
}

// The letters most often taken for others.
report::HtmlTable frequent_confusions(const std::vector<std::uint64_t>& confusion) {
  struct Pair {
    std::size_t letter, read;
    std::uint64_t count;
  };
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < kLetterClasses; ++a) {
    for (std::size_t b = 0; b < kLetterClasses; ++b) {
      if (a != b) pairs.push_back({a, b, confusion[a * kLetterClasses + b]});
    }
  }
  std::ranges::stable_sort(pairs, [](const Pair& a, const Pair& b) { return a.count > b.count; });
  report::HtmlTable table{{"letter", "read as", "times"}, {}, 2};
  for (std::size_t i = 0; i < kShownConfusions && pairs[i].count > 0; ++i) {
    table.rows.push_back({std::string(1, static_cast<char>('a' + pairs[i].letter)),
                          std::string(1, static_cast<char>('a' + pairs[i].read)),
                          std::to_string(pairs[i].count)});
  }
  return table;
}

void add_confusions(const HandwritingReportOptions& o, const HandwritingResults& results,
                    std::vector<report::Section>& sections) {
  for (const std::size_t order : {0, 3}) {
    const HandwritingOutcome* outcome = results.find(run_of(order, o));
    if (outcome == nullptr) continue;
    report::Section section;
    section.heading = fmt::format("What is taken for what at order {}", order);
    section.text = fmt::format(
        "Trained on fold {}, {} letters of the others. Rows are letters, columns what was read.",
        outcome->run.fold, outcome->all.letters);
    section.table = frequent_confusions(outcome->confusion);
    section.drawings = {confusion_picture(outcome->confusion)};
    sections.push_back(std::move(section));
  }
}

void add_repaired(const HandwritingReportOptions& o, std::vector<report::Section>& sections) {
  const HandwritingRun alone = run_of(0, o), together = run_of(3, o);
  const auto file = [&](const HandwritingRun& run) {
    return o.folder / run.name() / "model.safetensors";
  };
  if (!file_exists(file(alone)) || !file_exists(file(together))) return;
  const HandwritingTask task(together.task(o.data));
  // Evenly over the test words.
  const auto test = task.of(tasks::Stream::test);
  const std::size_t step = std::max<std::size_t>(1, test.size() / kSearchedWords);
  std::vector<const HandwrittenWord*> words;
  for (std::size_t i = 0; i < test.size(); i += step) words.push_back(&task.words()[test[i]]);
  const auto before = read_words(network::load_model(file(alone)), words, o.threads);
  const auto after = read_words(network::load_model(file(together)), words, o.threads);
  report::Section section;
  section.heading = "Words that context repaired";
  section.text = "Read letter by letter (order 0) and with factors up to order 3; mistakes in red.";
  std::vector<std::size_t> repaired;
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (before[w].text != words[w]->text && after[w].text == words[w]->text) repaired.push_back(w);
  }
  // Those with most mistakes first.
  const auto mistakes = [&](std::size_t w) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < words[w]->text.size(); ++i) {
      count += before[w].text[i] != words[w]->text[i];
    }
    return count;
  };
  std::ranges::stable_sort(repaired, std::greater(), mistakes);
  for (std::size_t i = 0; i < std::min(kShownWords, repaired.size()); ++i) {
    const std::size_t w = repaired[i];
    section.drawings.push_back(
        word_picture(*words[w], {{"order 0", before[w].text}, {"order 3", after[w].text}}));
  }
  if (!section.drawings.empty()) sections.push_back(std::move(section));
}

}  // namespace

std::string confusion_picture(const std::vector<std::uint64_t>& confusion) {
  constexpr std::size_t cell = 14, left = 18;
  std::uint64_t most = 1;
  for (std::size_t i = 0; i < confusion.size(); ++i) {
    if (i % (kLetterClasses + 1) != 0) most = std::max(most, confusion[i]);
  }
  const std::size_t side = left + kLetterClasses * cell + 2;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{0}\" viewBox=\"0 0 {0} "
      "{0}\" font-family=\"sans-serif\" font-size=\"10\" text-anchor=\"middle\">\n",
      side);
  for (std::size_t a = 0; a < kLetterClasses; ++a) {
    const char letter = static_cast<char>('a' + a);
    out += fmt::format("<text x=\"8\" y=\"{}\">{}</text><text x=\"{}\" y=\"10\">{}</text>\n",
                       left + a * cell + 10, letter, left + a * cell + cell / 2, letter);
    for (std::size_t b = 0; b < kLetterClasses; ++b) {
      const std::uint64_t count = confusion[a * kLetterClasses + b];
      const double share = a == b ? 0 : static_cast<double>(count) / static_cast<double>(most);
      const int grey = static_cast<int>(255 - 235 * std::sqrt(share));
      out += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"rgb({},{},{})\"><title>{} "
          "read as {}: {}</title></rect>",
          left + b * cell, left + a * cell, cell - 1, cell - 1, a == b ? 225 : 255, grey, grey,
          letter, static_cast<char>('a' + b), count);
    }
    out += "\n";
  }
  return out + "</svg>\n";
}

std::string handwriting_page(const HandwritingReportOptions& o, const HandwritingResults& results,
                             const std::vector<HandwritingRow>& rows) {
  std::vector<report::Section> sections;
  for (const auto& table : handwriting_tables()) {
    report::Section section;
    section.heading = table.name + ": " + table.title;
    section.table = printed(table.name, rows);
    if (section.table.rows.empty()) continue;
    for (const auto& note : handwriting_notes(table.name, rows)) section.text += note + ". ";
    section.drawings = drawings(table.name, rows);
    sections.push_back(std::move(section));
  }
  add_confusions(o, results, sections);
  add_repaired(o, sections);
  return report::html_page(
      "Handwritten words: factors of high order",
      "Section 5.4 of Factor Graph Neural Networks (JMLR 2023) done again: trained on one fold of "
      "Taskar's set, tested on the other nine. The paper's figures are read off its plots.",
      sections);
}

}  // namespace fgnn::handwriting
