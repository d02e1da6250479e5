// What every inference method returns: an answer, what is known of its quality, and how it went:
// the options given and used, the time by phase, and a report of all that for people to read.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "fgnn/core/fields.h"
#include "fgnn/core/phases.h"
#include "fgnn/core/timing.h"
#include "fgnn/graph/factor_graph.h"

namespace fgnn {

enum class Status {
  exact,            // proved: the optimum, or marginals to rounding
  converged,        // a fixed point of an approximate method
  iteration_limit,  // stopped before convergence
  time_limit,
  diverged,     // an approximate method whose messages ran away: its answer means little
  infeasible,   // proved: every assignment is forbidden; no answer
  interrupted,  // asked to stop: the best answer so far
};

std::string_view name(Status status);

// Why a method that looked at the deadline stopped: interrupted or time_limit.
inline Status stopped_by(const Deadline& deadline) {
  return deadline.interrupted() ? Status::interrupted : Status::time_limit;
}

// One value per variable and state, flat; row v is variable v.
class Marginals {
 public:
  Marginals() = default;
  explicit Marginals(const FactorGraph& graph);

  bool empty() const { return values_.empty(); }
  std::size_t size() const { return offset_.empty() ? 0 : offset_.size() - 1; }
  std::span<double> operator[](VariableId v) {
    return std::span(values_).subspan(offset_[v], offset_[v + 1] - offset_[v]);
  }
  std::span<const double> operator[](VariableId v) const {
    return std::span(values_).subspan(offset_[v], offset_[v + 1] - offset_[v]);
  }
  std::span<const double> values() const { return values_; }
  bool operator==(const Marginals&) const = default;

 private:
  std::vector<std::size_t> offset_;
  std::vector<double> values_;
};

// A line per variable: its number and the probability of each state. Many are cut short.
std::ostream& operator<<(std::ostream& out, const Marginals& marginals);

// Log-messages from factors to variables, flat in the order of edges: the states of edge 0, edge 1,
// …. Those of one edge have maximum 0.
class Messages {
 public:
  Messages() = default;
  explicit Messages(const FactorGraph& graph);

  bool empty() const { return offset_.size() < 2; }
  std::span<double> operator[](EdgeId e) {
    return std::span(values_).subspan(offset_[e], offset_[e + 1] - offset_[e]);
  }
  std::span<const double> operator[](EdgeId e) const {
    return std::span(values_).subspan(offset_[e], offset_[e + 1] - offset_[e]);
  }
  std::span<const double> values() const { return values_; }
  bool fits(const FactorGraph& graph) const;
  bool operator==(const Messages&) const = default;

 private:
  std::vector<std::size_t> offset_;
  std::vector<double> values_;
};

struct Solution {
  std::vector<State> assignment;
  double score = kForbidden;

  bool operator==(const Solution&) const = default;
};

// The options that a method was called with, and those it went by: with what was left open filled
// in, such as the number of threads. Copies share them.
class KeptOptions {
 public:
  KeptOptions() = default;
  template <class Given, class Used>
  KeptOptions(const Given& given, const Used& used)
      : kept_(std::make_shared<Pair<Given, Used>>(given, used)) {}
  // Other options were given, and became those that were used: a method called by its name.
  template <class Given>
  void regard_as_given(const Given& given) {
    kept_ = std::make_shared<Renamed<Given>>(given, std::move(kept_));
  }

  Fields given() const { return kept_ ? kept_->given() : Fields(); }
  Fields used() const { return kept_ ? kept_->used() : Fields(); }
  // As what they are, such as BpOptions; null when they are something else.
  template <class Options>
  const Options* given_as() const {
    return kept_ ? static_cast<const Options*>(kept_->given_as(typeid(Options))) : nullptr;
  }
  template <class Options>
  const Options* used_as() const {
    return kept_ ? static_cast<const Options*>(kept_->used_as(typeid(Options))) : nullptr;
  }
  bool operator==(const KeptOptions& other) const {
    return kept_ == other.kept_ || (given() == other.given() && used() == other.used());
  }

 private:
  struct Kept {
    virtual ~Kept() = default;
    virtual Fields given() const = 0;
    virtual Fields used() const = 0;
    virtual const void* given_as(const std::type_info& type) const = 0;
    virtual const void* used_as(const std::type_info& type) const = 0;
  };
  template <class Options>
  struct One {
    // The observer may be gone when these are looked at.
    explicit One(const Options& given) : options(given) { options.control = {}; }
    const void* as(const std::type_info& type) const {
      return type == typeid(Options) ? &options : nullptr;
    }
    Options options;
  };
  template <class Given, class Used>
  struct Pair final : Kept {
    Pair(const Given& g, const Used& u) : first(g), second(u) {}
    Fields given() const override { return fields(first.options); }
    Fields used() const override { return fields(second.options); }
    const void* given_as(const std::type_info& type) const override { return first.as(type); }
    const void* used_as(const std::type_info& type) const override { return second.as(type); }
    One<Given> first;
    One<Used> second;
  };
  template <class Given>
  struct Renamed final : Kept {
    Renamed(const Given& g, std::shared_ptr<const Kept> k) : first(g), kept(std::move(k)) {}
    Fields given() const override { return fields(first.options); }
    Fields used() const override { return kept ? kept->used() : Fields(); }
    const void* given_as(const std::type_info& type) const override { return first.as(type); }
    const void* used_as(const std::type_info& type) const override {
      return kept ? kept->used_as(type) : nullptr;
    }
    One<Given> first;
    std::shared_ptr<const Kept> kept;
  };

  std::shared_ptr<const Kept> kept_;
};

// When an anytime method had which answer.
struct TracePoint {
  double seconds = 0, score = kForbidden, bound = kInfinity;
};

// What a portfolio tried: a method, how it ended and what it found.
struct Trial {
  std::string method;
  std::string outcome;  // a status, or why it gave no answer
  double score = kForbidden, bound = kInfinity;
  double seconds = 0;
};

struct GraphSize {
  std::size_t variables = 0, factors = 0, edges = 0, states = 0;

  bool operator==(const GraphSize&) const = default;
};

// Where sampling puts ln Z: right for this share of all seeds if the chains mix, and no proof.
struct SampledInterval {
  double low = kForbidden, high = kInfinity;
  double confidence = 0.95;

  bool operator==(const SampledInterval&) const = default;
};

// Made complete and checked by finish_map or finish_marginals (finish.h), whoever solved.
struct Result {
  Status status = Status::exact;
  std::string method;
  std::string message;  // why there is no answer, or what to know about it; empty when all is well

  Marginals marginals;                  // of `infer` methods
  std::optional<double> log_partition;  // natural logarithm, where the method gives it
  // Proved: ln Z is not below the one and not above the other. Both are ln Z when that is exact.
  double log_partition_low = kForbidden, log_partition_high = kInfinity;
  std::optional<SampledInterval> log_partition_sampled;

  std::vector<State> assignment;    // of `map` methods
  double score = kForbidden;        // log score of the assignment
  double bound = kInfinity;         // no assignment scores higher
  std::vector<Solution> solutions;  // the k best, best first, when more than one was asked for

  Messages messages;              // of message-passing methods
  std::vector<double> residuals;  // largest change of a message, by iteration

  std::vector<TracePoint> trace;  // of anytime methods: a point for every better score or bound
  std::vector<Trial> tried;       // of `auto`, in turn

  std::size_t iterations = 0;
  double seconds = 0;
  std::vector<Phase> phases;  // where they went
  KeptOptions options;        // given and used; empty for methods without any
  GraphSize graph;
  bool finished = false;  // set by finish_map and finish_marginals alone

  bool feasible() const { return score != kForbidden; }
  double gap() const { return bound - score; }
  // Whether something is proved of ln Z beside its value.
  bool bounds_partition() const {
    return status != Status::exact && status != Status::infeasible &&
           (log_partition_low > kForbidden || log_partition_high < kInfinity);
  }

  // One line: "ad3: exact, score 12.5, 40 iterations, 3.1 ms". What `<<` prints.
  std::string brief_report() const;
  // All but the answer itself: status, score, bound, graph, options given and used, time by phase.
  std::string full_report() const;

  // Everything but the times.
  bool operator==(const Result& other) const;
};

std::ostream& operator<<(std::ostream& out, Status status);
std::ostream& operator<<(std::ostream& out, const Result& result);

}  // namespace fgnn
