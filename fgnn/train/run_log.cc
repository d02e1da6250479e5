#include "fgnn/train/run_log.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "fgnn/core/error.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/io/gnuplot.h"

namespace fgnn::train {
namespace {

constexpr const char* kLines = "metrics.jsonl";

std::vector<std::string> lines_up_to(const std::filesystem::path& file, std::uint64_t step) {
  std::vector<std::string> kept;
  if (step == 0) return kept;  // a run that begins writes its own step 0
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    // A line cut short by a kill is no JSON.
    if (json.is_object() && json.contains("step") && json["step"].is_number_unsigned() &&
        json["step"].get<std::uint64_t>() <= step) {
      kept.push_back(line);
    }
  }
  return kept;
}

}  // namespace

RunLog::RunLog(std::filesystem::path folder, std::uint64_t step)
    : folder_(std::move(folder)), events_(folder_) {
  const auto file = folder_ / kLines;
  const auto kept = lines_up_to(file, step);
  write_file(file, [&](std::ostream& out) {
    for (const auto& line : kept) out << line << '\n';
  });
  lines_.open(file, std::ios::app);
  if (!lines_) throw Error(ErrorCode::io, file.string(), "cannot be written");
}

void RunLog::write(std::uint64_t step, const std::map<std::string, double>& values) {
  nlohmann::ordered_json json{{"step", step}};
  for (const auto& [name, value] : values) {
    json[name] = value;
    events_.scalar(name, static_cast<std::int64_t>(step), value);
  }
  lines_ << json.dump() << std::endl;
  if (!lines_) throw Error(ErrorCode::io, (folder_ / kLines).string(), "cannot be written");
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
  std::ifstream in(folder / kLines);
  bool classes = false;
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    const double step = number(json, "step");
    loss += fmt::format("{} {} {}\n", step, number(json, "train_loss"),
                        number(json, "validation_loss"));
    classes |= json.contains("validation_accuracy");
    accuracy += fmt::format("{} {}\n", step, 100 * number(json, "validation_accuracy"));
  }
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
