#include "fgnn/train/run_log.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "fgnn/io/atomic_file.h"
#include "fgnn/io/gnuplot.h"

namespace fgnn::train {
namespace {

constexpr const char* kLines = "metrics.jsonl";

// Of a line of the log; none for anything else.
std::optional<std::uint64_t> step_of(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("step")) return std::nullopt;
  if (!json["step"].is_number_unsigned()) return std::nullopt;
  return json["step"].get<std::uint64_t>();
}

void drop_lines_after(const std::filesystem::path& file, std::uint64_t step) {
  std::string kept;
  const auto keep = [&](std::string_view line, std::size_t) {
    const auto own = step_of(line);
    if (own && *own <= step) kept.append(line).append("\n");
  };
  if (step > 0) read_json_log(file, keep);  // a run that begins writes its own step 0
  write_file(file, [&](std::ostream& out) { out << kept; });
}

std::filesystem::path prepared(const std::filesystem::path& folder, std::uint64_t step) {
  drop_lines_after(folder / kLines, step);
  return folder / kLines;
}

}  // namespace

RunLog::RunLog(const std::filesystem::path& folder, std::uint64_t step)
    : events_(folder), lines_(prepared(folder, step), {}, [](std::string_view, std::size_t) {}) {}

void RunLog::write(std::uint64_t step, const std::map<std::string, double>& values) {
  nlohmann::ordered_json json{{"step", step}};
  for (const auto& [name, value] : values) {
    json[name] = value;
    events_.scalar(name, static_cast<std::int64_t>(step), value);
  }
  lines_.append(json.dump());
  events_.flush();
}

namespace {

// Numbers that are not finite were written as null.
double number(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>()
                                                   : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

bool plot_curve(const std::filesystem::path& folder) {
  std::string loss, accuracy;
  bool classes = false;
  read_json_log(folder / kLines, [&](std::string_view line, std::size_t) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) return;
    const double step = number(json, "step");
    loss += fmt::format("{} {} {}\n", step, number(json, "train_loss"),
                        number(json, "validation_loss"));
    classes |= json.contains("validation_accuracy");
    accuracy += fmt::format("{} {}\n", step, 100 * number(json, "validation_accuracy"));
  });
  if (loss.empty()) return false;
  std::string script =
      "set terminal svg size 800,420 background 'white' font 'sans,12'\n$loss << E\n" + loss +
      "E\n$accuracy << E\n" + accuracy +
      "E\nset xlabel 'step'\nset ylabel 'loss'\nset grid\nset key center right\n";
  if (classes) script += "set y2label 'accuracy, %'\nset y2tics\nset ytics nomirror\n";
  script +=
      "plot $loss using 1:2 with lines lw 2 title 'training loss', "
      "$loss using 1:3 with lines lw 2 title 'validation loss'";
  if (classes) {
    script += ", $accuracy using 1:2 axes x1y2 with lines lw 2 title 'validation accuracy'";
  }
  const auto svg = gnuplot(script + "\n");
  if (svg) write_file(folder / "curve.svg", [&](std::ostream& out) { out << *svg; });
  return svg.has_value();
}

}  // namespace fgnn::train
