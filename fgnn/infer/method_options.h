// What may be asked of a method by name, from a command line or from text such as
//   max-product:damping=0.5,iterations=50,rounding=argmax
#pragma once

#include <cstdint>
#include <optional>

#include "fgnn/core/control.h"
#include "fgnn/core/fields.h"
#include "fgnn/core/settings.h"
#include "fgnn/core/types.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/mini_bucket.h"

namespace fgnn {

// How a relaxed solution becomes an assignment.
enum class Rounding {
  repair,  // into an allowed assignment, improved by single changes
  argmax,  // every variable takes its own best state, whatever that breaks
};
const Words<Rounding>& words_of(Rounding);

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
  std::optional<std::size_t> orders;
  std::optional<double> order_seconds;
  std::optional<std::size_t> branches;
  std::optional<Rounding> rounding;
  std::optional<std::size_t> ibound;  // log2 of the joint states of the largest (mini-)cluster
  std::optional<BucketWeights> weights;
  std::optional<std::size_t> restarts;
  std::optional<std::size_t> chains;
  std::optional<std::size_t> sweeps;

  bool operator==(const MethodOptions&) const = default;
};

// Limits, and the settings that are given.
Fields fields(const MethodOptions& options);

using MethodSetting = Setting<MethodOptions>;
const SettingList<MethodOptions>& method_settings();

}  // namespace fgnn
