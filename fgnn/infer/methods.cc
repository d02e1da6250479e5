#include "fgnn/infer/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "fgnn/core/error.h"
#include "fgnn/core/registry.h"
#include "fgnn/core/suggest.h"
#include "fgnn/infer/message_memory.h"
#include "fgnn/infer/method_sources.h"
#include "fgnn/infer/own_methods.h"

namespace fgnn {
std::string_view name(Query query) { return query == Query::infer ? "infer" : "map"; }

bool Method::takes(std::string_view setting) const {
  return std::ranges::find(settings, setting) != settings.end();
}

void Method::check(const MethodOptions& options) const {
  for (const MethodSetting& setting : method_settings()) {
    if (!setting.given(options)) continue;
    about("--" + setting.name, [&] { setting.check(options); });
    if (takes(setting.name)) continue;
    throw Error(ErrorCode::usage, fmt::format("--{}", setting.name),
                fmt::format("does not apply to method '{}'", name),
                settings.empty() ? "it takes no settings"
                                 : fmt::format("it takes {}", fmt::join(settings, ", ")));
  }
}

Result Method::solve(const FactorGraph& graph, const MethodOptions& options,
                     const Evidence& evidence) const {
  check(options);
  if (passes_messages) {  // AD3 has neither damping nor clusters
    const bool by_kernels = takes("damping") || takes("clusters");
    const bool tempered = options.temperature.value_or(1) != 1;
    check_message_memory(graph,
                         !by_kernels           ? Kernels::projections
                         : query == Query::map ? Kernels::maxima
                         : tempered            ? Kernels::tempered_sums
                                               : Kernels::sums,
                         options.max_bytes);
  }
  Result result = run(graph, options, evidence);
  if (!result.finished) throw Error(ErrorCode::internal, name, "its answer was not finished");
  result.options.regard_as_given(options);
  return result;
}

namespace {

struct KnownMethods {
  OrderedRegistry<Method> infer{"infer method"}, map{"map method"};

  KnownMethods() {
    for (Method& method : own_methods()) {
      method.passes_messages = method.takes("iterations");
      const std::string name = method.name;
      of(method.query).add(name, std::move(method));
    }
  }
  OrderedRegistry<Method>& of(Query query) { return query == Query::infer ? infer : map; }
};

KnownMethods& known_methods() {
  static KnownMethods all;
  return all;
}

}  // namespace

std::vector<Method> methods() {
  std::vector<Method> all = known_methods().infer.values();
  const std::vector<Method> map = known_methods().map.values();
  all.insert(all.end(), map.begin(), map.end());
  return all;
}

void add_method(Method method) {
  const std::string name = method.name;
  known_methods().of(method.query).add(name, std::move(method));
}

namespace {

// Where methods made from files come from, and those made so far. Any thread may ask.
class Sources {
 public:
  Sources() {
    for (auto& [prefix, source] : own_method_sources()) add(prefix, source);
  }

  void add(std::string prefix, MethodSource source) {
    by_prefix_.add(std::move(prefix), std::move(source));
  }

  // The prefix of "prefix:FILE" if it is one of a source, else empty.
  std::string_view prefix(std::string_view name) const {
    const auto prefix = name.substr(0, name.find(':'));
    return prefix.size() < name.size() && by_prefix_.find(prefix) ? prefix : std::string_view{};
  }

  // Made methods stay where they are, so that references to them do.
  const Method& method(Query query, std::string_view name, std::string_view prefix) {
    const std::lock_guard lock(mutex_);
    const auto key = std::pair(query, std::string(name));
    auto found = made_.find(key);
    if (found == made_.end()) {
      const std::string file(name.substr(prefix.size() + 1));
      found = made_.emplace(key, (*by_prefix_.find(prefix))(query, file)).first;
    }
    return found->second;
  }

 private:
  Registry<MethodSource> by_prefix_;
  std::mutex mutex_;  // of those made
  std::map<std::pair<Query, std::string>, Method> made_;
};

Sources& sources() {
  static Sources all;
  return all;
}

}  // namespace

void add_method_source(std::string prefix, MethodSource source) {
  sources().add(std::move(prefix), std::move(source));
}

bool names_a_source(std::string_view name) { return !sources().prefix(name).empty(); }

const Method& find_method(Query query, std::string_view wanted) {
  if (const auto prefix = sources().prefix(wanted); !prefix.empty()) {
    return sources().method(query, wanted, prefix);
  }
  const OrderedRegistry<Method>& known = known_methods().of(query);
  if (const Method* method = known.find(wanted)) return *method;
  throw Error(ErrorCode::usage, fmt::format("method '{}'", wanted),
              fmt::format("there is no such method for '{}'", name(query)),
              suggestion(wanted, known.names()));
}

}  // namespace fgnn
