// What an engine has to say at the end: beliefs, messages, the partition function, contradictions.
#include <algorithm>

#include "fgnn/core/log_math.h"
#include "fgnn/infer/bp/engine.h"

namespace fgnn::bp {

template <class T>
const std::string& Engine<T>::contradiction() {
  if (contradiction_.empty() && dead_variable_ != kAlive) {
    contradiction_ = graph_.name(dead_variable_) + ": its factors leave no state allowed";
  }
  return contradiction_;
}

template <class T>
bool Engine<T>::may_lose_states() const {
  return std::ranges::any_of(groups_,
                             [](const auto& g) { return g.signed_terms && g.twin.empty(); });
}

template <class T>
typename Engine<T>::Choice Engine<T>::choice(VariableId v) const {
  const auto key = [&](State x) {
    const std::size_t at = graph_.state_offset(v) + x;
    const double closed = any_forbidden_ ? static_cast<double>(blocked_[at]) : 0.0;
    // What the variable itself rules out is worse than any number of messages.
    const double own = graph_.unary(v)[x] == kForbidden ? kInfinity : 0;
    return std::pair(-closed - own, static_cast<double>(belief_[at]));
  };
  Choice best{.state = 0, .margin = kInfinity};
  for (State x = 1; x < graph_.states(v); ++x) {
    if (key(x) > key(best.state)) best.state = x;
  }
  for (State x = 0; x < graph_.states(v); ++x) {
    if (x == best.state || key(x).first < key(best.state).first) continue;
    best.margin = std::min(best.margin, key(best.state).second - key(x).second);
  }
  return best;
}

template <class T>
Marginals Engine<T>::log_beliefs() const {
  Marginals result(graph_);
  for (VariableId v = 0; v < graph_.num_variables(); ++v) {
    double high = kForbidden;
    for (State x = 0; x < graph_.states(v); ++x) {
      const std::size_t at = graph_.state_offset(v) + x;
      const bool closed = any_forbidden_ && blocked_[at] > 0;
      result[v][x] = closed ? kForbidden : static_cast<double>(belief_[at]) * temperature_;
      high = std::max(high, result[v][x]);
    }
    if (high == kForbidden) continue;
    for (double& b : result[v]) b -= high;
  }
  return result;
}

template <class T>
Messages Engine<T>::messages() const {
  Messages result(graph_);
  for (EdgeId e = 0; e < graph_.num_edges(); ++e) {
    const FactorId c = graph_.factor_of(e);
    const Group<T>& g = groups_[place_[c].group];
    const std::size_t slot = g.slot[e - graph_.first_edge(c)];
    for (std::size_t x = 0; x < result[e].size(); ++x) {
      result[e][x] = static_cast<double>(messages_[g.at(place_[c].index, slot + x)]) * temperature_;
    }
  }
  return result;
}

// log Z = sum_c log Z_c - sum_i (degree_i - 1) log Z_i, with Z_c the sum of the factor times its
// incoming messages and Z_i the sum of the unnormalised belief.
template <class T>
std::optional<double> Engine<T>::bethe_log_partition() {
  double total = graph_.constant() / temperature_;
  proposal_.resize(messages_.size());
  std::vector<double> log_z;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    log_z.assign(groups_[g].size(), 0.0);
    Update<T> args = arguments(g, 0, groups_[g].size());
    args.out = proposal_.data();
    args.log_z = log_z.data();
    UpdateResult ignored;
    if (!update_in_time(args, workspaces_[0], ignored)) return std::nullopt;
    for (double value : log_z) total += value;
  }
  std::vector<double> belief;
  for (VariableId v = 0; v < graph_.num_variables(); ++v) {
    const double degree = static_cast<double>(graph_.edges(v).size());
    belief.clear();
    for (State x = 0; x < graph_.states(v); ++x) {
      const std::size_t at = graph_.state_offset(v) + x;
      const bool closed = any_forbidden_ && blocked_[at] > 0;
      belief.push_back(closed ? kForbidden : static_cast<double>(belief_[at]));
    }
    if (degree != 1) total += (1 - degree) * log_sum_exp(belief);
  }
  return total * temperature_;
}

template const std::string& Engine<float>::contradiction();
template const std::string& Engine<double>::contradiction();
template bool Engine<float>::may_lose_states() const;
template bool Engine<double>::may_lose_states() const;
template Engine<float>::Choice Engine<float>::choice(VariableId) const;
template Engine<double>::Choice Engine<double>::choice(VariableId) const;
template Marginals Engine<float>::log_beliefs() const;
template Marginals Engine<double>::log_beliefs() const;
template Messages Engine<float>::messages() const;
template Messages Engine<double>::messages() const;
template std::optional<double> Engine<float>::bethe_log_partition();
template std::optional<double> Engine<double>::bethe_log_partition();

}  // namespace fgnn::bp
