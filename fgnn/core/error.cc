#include "fgnn/core/error.h"

#include <array>
#include <utility>

#include "fgnn/core/printable.h"

namespace fgnn {
namespace {

constexpr std::size_t kLongest = 1000;  // characters of a message: half a screen

struct Kind {
  std::string_view name;
  int exit_code;
};

constexpr std::array<Kind, 11> kKinds{{{"internal", 1},
                                       {"usage", 2},
                                       {"io", 3},
                                       {"format", 4},
                                       {"model", 5},
                                       {"infeasible", 6},
                                       {"too_large", 7},
                                       {"unsupported", 8},
                                       {"time_limit", 9},
                                       {"too_wide", 10},
                                       {"interrupted", 130}}};  // as shells have it for Ctrl-C

}  // namespace

std::string_view name(ErrorCode code) { return kKinds[static_cast<std::size_t>(code)].name; }

int exit_code(ErrorCode code) { return kKinds[static_cast<std::size_t>(code)].exit_code; }

Error::Error(ErrorCode code, std::string subject, std::string message, std::string hint)
    : code_(code), subject_(std::move(subject)), hint_(std::move(hint)) {
  if (!subject_.empty()) line_ = subject_ + ": ";
  line_ += message;
  if (!hint_.empty()) line_ += "; " + hint_;
  // Names and values come from files: whatever they hold, the message stays one line of text.
  line_ = shortened(printable(line_), kLongest);
}

}  // namespace fgnn
