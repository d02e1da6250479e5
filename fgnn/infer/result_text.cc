// Results in words: what `<<`, brief_report and full_report print.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fgnn/infer/result.h"
#include "fgnn/version.h"

namespace fgnn {
namespace {

constexpr std::size_t kRowsShown = 20;

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.2f} ms", 1e3 * seconds)
                         : fmt::format("{:.1f} us", 1e6 * seconds);
}

std::string count_of(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// "name       value", the names padded to one width.
class Lines {
 public:
  void add(const char* name, const std::string& value) {
    text_ += fmt::format("{:<12} {}\n", name, value);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// "-1.5 to 2"; what is not known is left out.
std::string range_text(double low, double high) {
  if (low == kForbidden) return fmt::format("at most {:.9g}", high);
  if (high == kInfinity) return fmt::format("at least {:.9g}", low);
  return fmt::format("{:.9g} to {:.9g}", low, high);
}

std::string sampled_text(const SampledInterval& sampled) {
  return fmt::format("{} with {:.3g} % confidence", range_text(sampled.low, sampled.high),
                     100 * sampled.confidence);
}

std::string options_text(const KeptOptions& options) {
  const Fields given = options.given(), used = options.used();
  if (given.empty() && used.empty()) return {};
  std::string text = fmt::format("\n{:<16} {:<12} {}\n", "option", "given", "used");
  for (const Field& field : used) {
    const Field* asked = given.find(field.name);
    text += fmt::format("{:<16} {:<12} {}\n", field.name, asked ? asked->value : "-", field.value);
  }
  for (const Field& field : given) {
    if (used.find(field.name) == nullptr) {
      text += fmt::format("{:<16} {}\n", field.name, field.value);
    }
  }
  return text;
}

std::string phases_text(const Result& result) {
  std::string text = fmt::format("\n{:<16} {:>12} {:>6}\n", "phase", "time", "share");
  const auto row = [&](std::string_view name, double seconds) {
    const double share = result.seconds > 0 ? 100 * seconds / result.seconds : 0;
    text += fmt::format("{:<16} {:>12} {:>4.0f} %\n", name, time_text(seconds), share);
  };
  double rest = result.seconds;
  for (const Phase& phase : result.phases) {
    row(phase.name, phase.seconds);
    rest -= phase.seconds;
  }
  if (!result.phases.empty() && rest > 0) row("other", rest);
  row("total", result.seconds);
  return text;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, Status status) { return out << name(status); }

std::ostream& operator<<(std::ostream& out, const Marginals& marginals) {
  for (VariableId v = 0; v < std::min(marginals.size(), kRowsShown); ++v) {
    out << fmt::format("{}: {:.6g}\n", v, fmt::join(marginals[v], " "));
  }
  if (marginals.size() > kRowsShown) out << "…\n";
  return out;
}

std::string Result::brief_report() const {
  std::string text = fmt::format("{}: {}", method, name(status));
  if (log_partition) text += fmt::format(", ln Z {:.9g}", *log_partition);
  if (bounds_partition()) {
    text += ", proved " + range_text(log_partition_low, log_partition_high);
  }
  if (log_partition_sampled) text += ", sampled " + sampled_text(*log_partition_sampled);
  if (!assignment.empty()) text += fmt::format(", score {:.9g}", score);
  if (bound < kInfinity) text += fmt::format(", bound {:.9g}", bound);
  if (iterations > 0) text += ", " + count_of(iterations, "iteration");
  return text + ", " + time_text(seconds);
}

std::string Result::full_report() const {
  Lines lines;
  lines.add("fgnn", kVersion);
  lines.add("method", method);
  lines.add("graph", fmt::format("{}, {}, {}, {}", count_of(graph.variables, "variable"),
                                 count_of(graph.factors, "factor"), count_of(graph.edges, "edge"),
                                 count_of(graph.states, "state")));
  lines.add("status", std::string(name(status)));
  if (!message.empty()) lines.add("message", message);
  if (log_partition) lines.add("ln Z", fmt::format("{:.9g}", *log_partition));
  if (bounds_partition()) {
    lines.add("ln Z proved", range_text(log_partition_low, log_partition_high));
  }
  if (log_partition_sampled) lines.add("ln Z sampled", sampled_text(*log_partition_sampled));
  if (!assignment.empty()) lines.add("score", fmt::format("{:.9g}", score));
  if (bound < kInfinity) lines.add("bound", fmt::format("{:.9g}", bound));
  if (bound < kInfinity && feasible()) lines.add("gap", fmt::format("{:.3g}", gap()));
  if (iterations > 0) lines.add("iterations", fmt::format("{}", iterations));
  if (!residuals.empty()) {
    lines.add("residual",
              fmt::format("{:.3g} first, {:.3g} last", residuals.front(), residuals.back()));
  }
  return lines.text() + options_text(options) + phases_text(*this);
}

std::ostream& operator<<(std::ostream& out, const Result& result) {
  return out << result.brief_report();
}

bool Result::operator==(const Result& o) const {
  return status == o.status && method == o.method && message == o.message &&
         marginals == o.marginals && log_partition == o.log_partition &&
         log_partition_low == o.log_partition_low && log_partition_high == o.log_partition_high &&
         log_partition_sampled == o.log_partition_sampled && assignment == o.assignment &&
         score == o.score && bound == o.bound && solutions == o.solutions &&
         messages == o.messages && residuals == o.residuals && iterations == o.iterations &&
         options == o.options && graph == o.graph && finished == o.finished;
}

}  // namespace fgnn
