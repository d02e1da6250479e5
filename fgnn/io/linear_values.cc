#include "fgnn/io/linear_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/infer/table_store.h"

namespace fgnn {
namespace {

// exp() of these and of everything between is a normal double.
constexpr double kLowestLog = -708, kHighestLog = 709;
constexpr int kDigits = 12;  // of a decimal survive log and exp anywhere in this range
constexpr const char* kHint = "write a .fgt file, which keeps logarithms and structure";

double rounded(double value) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, kDigits - 1)
          .ptr;
  std::from_chars(text, end, value);
  return value;
}

}  // namespace

double to_linear(double log_value, const std::string& subject) {
  if (log_value == kForbidden) return 0;
  if (log_value < kLowestLog || log_value > kHighestLog) {
    throw Error(ErrorCode::unsupported, subject,
                fmt::format("exp({}) is outside the range of a double", log_value), kHint);
  }
  // Of the doubles with this logarithm take the short one: what was read as 0.1 is written as 0.1.
  const double value = std::exp(log_value), brief = rounded(value);
  return std::log(brief) == log_value ? brief : value;
}

void check_expandable(const FactorGraph& graph, FactorId c) {
  if (configurations(graph.shape(c)) > kMaxTableEntries) {
    throw Error(ErrorCode::unsupported, graph.describe(c),
                fmt::format("as a table this {} factor would have more than {} entries",
                            graph.potential(c).kind(), kMaxTableEntries),
                kHint);
  }
}

Table expanded(const FactorGraph& graph, FactorId c, Budget* budget) {
  check_expandable(graph, c);
  const Deadline deadline = budget != nullptr ? budget->deadline() : Deadline();
  if (budget != nullptr) {
    Hold(*budget).take(configurations(graph.shape(c)) * sizeof(double));
  }
  try {
    return expand_in_time(graph, c, deadline);
  } catch (const Error& error) {  // a low-rank sum that is negative
    if (error.code() == ErrorCode::time_limit) throw;
    throw Error(error.code(), graph.describe(c), error.what());
  }
}

}  // namespace fgnn
