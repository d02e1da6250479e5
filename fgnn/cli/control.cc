#include "fgnn/cli/control.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "fgnn/core/error.h"
#include "fgnn/core/output.h"

namespace fgnn::cli {
namespace {

constexpr double kQuietSeconds = 2;     // work shorter than this shows nothing
constexpr double kRedrawSeconds = 0.1;  // often enough for the eye
constexpr int kBarWidth = 30;

std::string figures(const Progress& p) {
  std::string text;
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) text += fmt::format("  {} {:.6g}", name, *value);
  };
  add("residual", p.residual);
  add("score", p.score);
  add("bound", p.bound);
  if (!p.note.empty()) text += fmt::format("  {}", p.note);
  return text;
}

// What the handler of signals uses is made before it is set.
StopSource* source = nullptr;
struct sigaction before;
bool says_so = false;

void on_interrupt(int) {
  const int error = errno;
  source->request_stop();
  ::sigaction(SIGINT, &before, nullptr);  // the next one ends the program
  if (says_so) {
    constexpr char kText[] = "\r\033[Kfgnn: stopping; Ctrl-C again ends at once\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
  }
  errno = error;
}

StopSource& heed_interrupts() {
  static StopSource own;
  source = &own;
  says_so = ::isatty(STDERR_FILENO) != 0;
  // Where it is ignored, as in the background of a script, it stays so.
  if (::sigaction(SIGINT, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
  }
  return own;
}

}  // namespace

std::string bar_text(const Progress& progress, double seconds) {
  if (progress.total <= 0) {
    return fmt::format("{} {:.0f} s{}", progress.stage, seconds, figures(progress));
  }
  const double share = std::clamp(progress.done / progress.total, 0.0, 1.0);
  const int filled = static_cast<int>(share * kBarWidth);
  const double left = share > 0 ? seconds * (1 - share) / share : 0;
  return fmt::format("{} [{:=<{}}{: <{}}] {:3.0f} %  {:.0f} s left{}", progress.stage, "", filled,
                     "", kBarWidth - filled, 100 * share, left, figures(progress));
}

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) != 0) {}

void ProgressBar::on_progress(const Progress& progress) {
  if (!terminal_) return;
  auto seen = std::ranges::find(stages_, progress.stage, &Seen::stage);
  if (progress.over) {
    if (seen == stages_.end()) return;
    if (seen->shown) erase_bar();
    stages_.erase(seen);
    return;
  }
  if (seen == stages_.end()) {
    stages_.push_back({.stage = std::string(progress.stage)});
    seen = stages_.end() - 1;
  }
  const double now = seen->watch.seconds();
  if (now < kQuietSeconds || now - seen->last_drawn < kRedrawSeconds) return;
  seen->last_drawn = now;
  seen->shown = true;
  draw_bar(bar_text(progress, now));
}

Control bar() {
  static ProgressBar drawn;
  return {&drawn, {}};
}

Control control() {
  static const StopSource& stopping = heed_interrupts();
  return {bar().observer, stopping.token()};
}

void end_if_interrupted(const std::string& subject, const std::string& what) {
  control().end_if_stopped(subject, what);
}

}  // namespace fgnn::cli
