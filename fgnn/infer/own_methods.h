// The methods that come with the library, and what each makes of the options that all methods
// share.
#pragma once

#include <optional>
#include <vector>

#include "fgnn/infer/methods.h"

namespace fgnn {

struct ExactOptions;

std::vector<Method> own_methods();
// Those of them that bound ln Z or sample (bound_methods.cc).
std::vector<Method> bound_methods();
// Those that search for the best assignment, and the automatic choice (search_methods.cc).
std::vector<Method> search_methods();
Method automatic_method(Query query);

// A setting over the default, where it is given.
template <class Value>
void take(Value& target, const std::optional<Value>& given) {
  if (given) target = *given;
}

// The limits that most methods take.
template <class Options>
Options limited(const MethodOptions& options) {
  Options own;
  own.max_bytes = options.max_bytes;
  own.time_limit = options.time_limit;
  own.control = options.control;
  own.seed = options.seed;
  return own;
}

// Those of the settings that exact inference takes.
ExactOptions exact_options(const MethodOptions& options);

}  // namespace fgnn
