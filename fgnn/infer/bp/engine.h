// The state of a belief propagation run and its steps; schedules are built from these.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fgnn/graph/factor_graph.h"
#include "fgnn/infer/bp/group.h"
#include "fgnn/infer/bp/kernels.h"
#include "fgnn/infer/result.h"

namespace fgnn::bp {

template <class T>
class Engine {
 public:
  // The graph must outlive the engine. `support` asks only what is allowed: all finite potentials
  // count as 0 (Algebra::max), so that messages are 0 or minus infinity, without rounding. Throws
  // Error(time_limit) when it cannot be set up before the deadline.
  Engine(const FactorGraph& graph, Algebra algebra, double temperature, double damping, int threads,
         const Deadline& deadline = {}, bool support = false);

  void start(const Messages* warm);

  // One flooding iteration: all factors from the present beliefs, then all beliefs. Returns the
  // largest change of a message; infinity when the deadline came before all were updated.
  double flood();
  // The same for these factors (no two with a common variable) and the beliefs around them.
  double update_together(const std::vector<FactorId>& factors);
  double update_factor(FactorId c);
  // Simple steps that updating a factor takes, about.
  std::uint64_t steps(FactorId c) const { return groups_[place_[c].group].steps; }

  // How much the factor's messages would change; the proposal is kept until commit().
  double propose(FactorId c);
  void commit(FactorId c);

  // Fixes a variable's state: all others are forbidden from now on. Call start() afterwards, or
  // update the factors around it.
  void clamp(VariableId v, State x);
  // Its best state now (fewest terms that forbid it, then highest belief, then lowest number), and
  // by how much it beats the second.
  struct Choice {
    State state = 0;
    double margin = 0;
  };
  Choice choice(VariableId v) const;

  // Name of a factor whose messages forbid everything, or of a variable; empty while there is none.
  // A proof only in an engine for support: elsewhere signed terms may cancel by rounding.
  const std::string& contradiction();

  // Whether states may look forbidden that are not: signed terms without a twin.
  bool may_lose_states() const;

  // Whether messages have been cut at the limit since the last call. Messages of a tree stay within
  // the sum of all potentials' ranges; those that count themselves again and again around loops may
  // grow for ever. They are kept finite, a thousand times above that.
  bool ran_away() { return std::exchange(ran_away_, false); }

  // Log-beliefs, shifted to maximum 0 per variable, times the temperature.
  Marginals log_beliefs() const;
  Messages messages() const;
  // None when the deadline passes, unless it is a matter of milliseconds.
  std::optional<double> bethe_log_partition();

 private:
  struct Place {
    std::uint32_t group, index;
  };

  void refresh(VariableId v);
  void refresh_all();
  void add_messages(const Group<T>& g, std::size_t begin, std::size_t end, std::vector<T>& sum,
                    std::vector<T>& closed) const;
  void combine_sums(VariableId begin, VariableId end);
  void refresh_around(FactorId c);
  void note(const UpdateResult& result, std::uint32_t group);
  Update<T> arguments(std::uint32_t group, std::size_t begin, std::size_t end);
  // The factors in turn, as many at once as a look at the clock may wait for; false when late.
  bool update_in_time(Update<T> args, Workspace<T>& workspace, UpdateResult& result) const;
  double changes_by(std::uint32_t group, std::size_t begin, std::size_t end);

  const FactorGraph& graph_;
  double temperature_;
  T damping_;
  int threads_;
  Deadline deadline_;
  std::vector<Group<T>> groups_;
  std::vector<Place> place_;                // of each factor
  std::vector<std::uint32_t> edge_start_;   // per entry of the variables' edge lists: first message
  std::vector<std::uint32_t> edge_stride_;  // and the distance between its states
  std::vector<T> unary_, belief_, blocked_;
  bool any_forbidden_ = false;
  std::vector<T> messages_, proposal_;
  struct Sums {
    std::vector<T> belief, blocked;
  };
  std::vector<Sums> sums_;  // one per thread
  std::vector<Workspace<T>> workspaces_;
  T limit_;
  bool ran_away_ = false;
  std::string contradiction_;
  static constexpr VariableId kAlive = ~VariableId{0};
  std::atomic<VariableId> dead_variable_ = kAlive;  // one whose states are all forbidden
};

}  // namespace fgnn::bp
