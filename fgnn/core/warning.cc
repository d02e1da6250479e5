#include "fgnn/core/warning.h"

#include <atomic>

namespace fgnn {
namespace {

std::atomic<WarningSink> current{nullptr};

}  // namespace

void set_warning_sink(WarningSink sink) { current = sink; }

void warn(const std::string& subject, const std::string& message) {
  if (const WarningSink sink = current) sink(subject + ": " + message);
}

}  // namespace fgnn
