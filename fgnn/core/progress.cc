#include "fgnn/core/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "fgnn/core/output.h"

namespace fgnn {
namespace {

constexpr double kQuietSeconds = 2;     // work shorter than this shows nothing
constexpr double kRedrawSeconds = 0.1;  // often enough for the eye
constexpr int kBarWidth = 30;

}  // namespace

Progress::Progress(std::string label, double total)
    : label_(std::move(label)), total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_) erase_bar();
}

void Progress::advance(double amount) {
  done_ += amount;
  if (!terminal_) return;
  const double now = watch_.seconds();
  if (now < kQuietSeconds || now - last_drawn_ < kRedrawSeconds) return;
  last_drawn_ = now;
  draw();
}

void Progress::draw() {
  shown_ = true;
  const double elapsed = watch_.seconds();
  if (total_ <= 0) {
    draw_bar(fmt::format("{} {:.0f} s  {}", label_, elapsed, note_));
  } else {
    const double share = std::clamp(done_ / total_, 0.0, 1.0);
    const int filled = static_cast<int>(share * kBarWidth);
    const double left = share > 0 ? elapsed * (1 - share) / share : 0;
    draw_bar(fmt::format("{} [{:=<{}}{: <{}}] {:3.0f} %  {:.0f} s left  {}", label_, "", filled, "",
                         kBarWidth - filled, 100 * share, left, note_));
  }
}

}  // namespace fgnn
