// What may be asked of a method by name, from a command line or from text such as
//   max-product:damping=0.5,iterations=50,rounding=argmax
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/core/types.h"
#include "fgnn/infer/belief_propagation.h"

namespace fgnn {

// How a relaxed solution becomes an assignment.
enum class Rounding {
  repair,  // into an allowed assignment, improved by single changes
  argmax,  // every variable takes its own best state, whatever that breaks
};

// Every method keeps those that concern it.
struct MethodLimits {
  std::uint64_t max_bytes = std::uint64_t{8} << 30;  // for methods that build large tables
  double time_limit = kInfinity;                     // seconds
  int threads = 0;                                   // 0: all processors
  std::uint64_t seed = 0;
  Control control;  // who looks on, and may ask to stop

  bool operator==(const MethodLimits&) const = default;
};

struct MethodOptions : MethodLimits {
  // Settings: the method's own default where absent; refused by methods that know no such thing.
  std::optional<std::size_t> k;  // how many best assignments
  std::optional<std::size_t> iterations;
  std::optional<double> damping;
  std::optional<Schedule> schedule;
  std::optional<double> temperature;
  std::optional<double> tolerance;
  std::optional<bool> single_precision;
  std::optional<std::size_t> clusters;
  std::optional<Rounding> rounding;

  bool operator==(const MethodOptions&) const = default;
};

// Limits, and the settings that are given.
Fields fields(const MethodOptions& options);

// One setting: its name on the command line and in text, and how to set it from text.
struct MethodSetting {
  std::string name;                                    // "damping"
  std::string value;                                   // "SHARE", for help
  std::string description;                             // one line
  void (*set)(MethodOptions&, std::string_view text);  // throws Error(usage)
  bool (*given)(const MethodOptions&);
  void (*clear)(MethodOptions&);
};

const std::vector<MethodSetting>& method_settings();

// Throws Error(usage) for an unknown name, with the nearest known one.
const MethodSetting& find_setting(std::string_view name);

}  // namespace fgnn
