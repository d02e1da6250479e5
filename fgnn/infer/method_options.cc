#include "fgnn/infer/method_options.h"

#include <fmt/core.h>

#include <type_traits>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/core/suggest.h"
#include "fgnn/core/units.h"

namespace fgnn {
namespace {

void parse(std::string_view text, std::size_t& value) {
  value = parse_number<std::size_t>(text, "whole number");
}

void parse(std::string_view text, double& value) { value = parse_finite(text); }

void parse(std::string_view text, bool& value) {
  const std::vector<Word<bool>> words{{"true", true}, {"false", false}};
  value = parse_word<bool>(text, "choice", words);
}

void parse(std::string_view text, Schedule& value) {
  std::vector<Word<Schedule>> words;
  for (const Schedule s : {Schedule::flooding, Schedule::sequential, Schedule::random,
                           Schedule::residual, Schedule::layered}) {
    words.push_back({std::string(name(s)), s});
  }
  value = parse_word<Schedule>(text, "schedule", words);
}

void parse(std::string_view text, Rounding& value) {
  const std::vector<Word<Rounding>> words{{"repair", Rounding::repair},
                                          {"argmax", Rounding::argmax}};
  value = parse_word<Rounding>(text, "rounding", words);
}

template <auto kMember>
MethodSetting setting(std::string name, std::string value, std::string description) {
  using Value = typename std::remove_reference_t<decltype(std::declval<MethodOptions&>().*
                                                          kMember)>::value_type;
  return {std::move(name),
          std::move(value),
          std::move(description),
          [](MethodOptions& options, std::string_view text) {
            Value parsed{};
            parse(text, parsed);
            options.*kMember = parsed;
          },
          [](const MethodOptions& options) { return (options.*kMember).has_value(); },
          [](MethodOptions& options) { (options.*kMember).reset(); }};
}

}  // namespace

const std::vector<MethodSetting>& method_settings() {
  using O = MethodOptions;
  static const std::vector<MethodSetting> kSettings{
      setting<&O::k>("k", "N", "How many of the best assignments"),
      setting<&O::iterations>("iterations", "N", "Most passes over the graph"),
      setting<&O::damping>("damping", "SHARE", "Share of the old message that is kept, 0 to 1"),
      setting<&O::schedule>("schedule", "ORDER",
                            "flooding, sequential, random, residual or layered"),
      setting<&O::temperature>("temperature", "T", "1: sum-product; towards 0: max-product"),
      setting<&O::tolerance>("tolerance", "CHANGE", "Stop when nothing changes by more"),
      setting<&O::single_precision>("float", "", "Single precision: faster, coarser"),
      setting<&O::clusters>("clusters", "N", "Joins of factors that tighten the bound (mplp)"),
      setting<&O::rounding>("rounding", "HOW", "repair (into an allowed assignment) or argmax"),
  };
  return kSettings;
}

Fields fields(const MethodOptions& o) {
  Fields all;
  all.add("k", o.k).add("iterations", o.iterations).add("damping", o.damping);
  if (o.schedule) all.add("schedule", std::string(name(*o.schedule)));
  all.add("temperature", o.temperature).add("tolerance", o.tolerance);
  all.add("float", o.single_precision).add("clusters", o.clusters);
  if (o.rounding) all.add("rounding", *o.rounding == Rounding::repair ? "repair" : "argmax");
  return all.add("memory", bytes_text(static_cast<double>(o.max_bytes)))
      .add("time limit", o.time_limit)
      .add("threads", o.threads)
      .add("seed", o.seed);
}

const MethodSetting& find_setting(std::string_view wanted) {
  std::vector<std::string> known;
  for (const MethodSetting& setting : method_settings()) {
    if (setting.name == wanted) return setting;
    known.push_back(setting.name);
  }
  throw Error(ErrorCode::usage, fmt::format("'{}'", wanted), "is no setting of any method",
              suggestion(wanted, known));
}

}  // namespace fgnn
