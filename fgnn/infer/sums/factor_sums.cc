#include "fgnn/infer/sums/factor_sums.h"

#include <algorithm>
#include <cmath>

#include "fgnn/core/error.h"
#include "fgnn/potentials/table.h"

namespace fgnn {
namespace {

constexpr std::uint64_t kSmall = 256;  // entries up to which a table is taken without asking
constexpr std::uint64_t kMostMoves = std::uint64_t{1} << 32;
constexpr double kLeast = 1e-200;  // a share below this is summed again at its own scale

std::uint64_t largest_walk(const Machine& machine, Shape shape) {
  std::uint64_t moves = 0, before = 1;
  const std::uint64_t modes = std::max<std::uint64_t>(1, machine.modes());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::uint64_t after = i + 1 < shape.size() ? machine.states(i) : 1;
    moves += modes * before * shape[i] * after;
    before = after;
  }
  return moves;
}

}  // namespace

FactorSums::FactorSums(const FactorGraph& graph, Budget& budget)
    : graph_(graph), tables_(budget.deadline()), forms_(graph.num_factors()) {
  std::size_t widest = 0, largest = 0;
  for (FactorId c = 0; c < graph.num_factors(); ++c) {
    budget.check_time();
    Form& form = forms_[c];
    const auto shape = graph.shape(c);
    for (State s : shape) form.slots += s;
    widest = std::max(widest, form.slots);
    const bool stored = graph.potential(c).stored().table != nullptr;
    if (!stored && configurations(shape) > kSmall) form.walk = walk_of(c, budget);
    if (form.walk != nullptr) {
      for (const auto& moves : form.walk->moves) form.steps += moves.size();
      continue;
    }
    if (!stored && configurations(shape) <= kMaxTableEntries) {
      budget.take(sizeof(double) * configurations(shape));
    }
    form.table = tables_.values(graph, c);
    form.steps = form.table.size() * shape.size();
    largest = std::max(largest, form.table.size());
  }
  budget.take(sizeof(double) * (largest + 2 * widest) + sizeof(Form) * forms_.size());
}

const FactorSums::Walk* FactorSums::walk_of(FactorId c, Budget& budget) {
  const auto shape = graph_.shape(c);
  auto& made = walks_[{graph_.potential_index(c), shape}];
  if (made != nullptr) return made.get();
  const auto machine = graph_.potential(c).machine(shape, Reduction::each);
  if (machine == nullptr || largest_walk(*machine, shape) > kMostMoves) return nullptr;
  made = std::make_unique<Walk>();
  const std::vector<double> numbers = machine->numbers();
  const std::uint32_t modes = std::max<std::uint32_t>(1, machine->modes());
  TimeCheck time(budget.deadline());
  std::uint32_t before = 1;
  std::uint32_t slot = 0;
  for (std::size_t i = 0; i < shape.size(); slot += shape[i++]) {
    made->slot.push_back(slot);
    const bool last = i + 1 == shape.size();
    const std::uint32_t after = last ? 1 : machine->states(i);
    auto& moves = made->moves.emplace_back();
    made->states.push_back(i == 0 ? 1 : std::size_t{modes} * before);
    const auto look = [&](std::uint32_t z, std::uint32_t s, State x, std::uint32_t t) {
      const std::size_t mode = machine->modes() > 0 ? machine->mode(i, z) : 0;
      double value = numbers[mode + machine->before(i, s) + machine->reads(i, x) +
                             (last ? 0 : machine->after(i, t))];
      if (i == 0 && machine->modes() > 0) value += numbers[machine->weight(z)];
      if (value == kForbidden) return;
      budget.take(2 * sizeof(Move));  // lists grow by doubling
      moves.push_back({i == 0 ? 0 : z * before + s, slot + x, last ? 0 : z * after + t, value});
    };
    for (std::uint32_t z = 0; z < modes; ++z) {
      for (std::uint32_t s = 0; s < before; ++s) {
        if (time.late(std::uint64_t{shape[i]} * after)) budget.check_time();
        for (State x = 0; x < shape[i]; ++x) {
          for (std::uint32_t t = 0; t < after; ++t) look(z, s, x, t);
        }
      }
    }
    before = after;
  }
  made->states.push_back(1);
  made->slot.push_back(slot);
  return made.get();
}

void FactorSums::messages(FactorId c, double temperature, const double* in, double* out) {
  if (forms_[c].walk != nullptr) return walk_messages(*forms_[c].walk, 1 / temperature, in, out);
  table_messages(c, 1 / temperature, in, out);
}

void FactorSums::expectations(FactorId c, std::size_t position, const double* q, double* out) {
  if (forms_[c].walk != nullptr) return walk_expectations(*forms_[c].walk, position, q, out);
  table_expectations(c, position, q, out);
}

namespace {

// The joint states of a table with the slots that each is made of.
class Odometer {
 public:
  explicit Odometer(const FactorGraph& graph, FactorId c) {
    std::size_t first = 0;
    for (VariableId v : graph.scope(c)) {
      first_.push_back(first);
      slot_.push_back(first);
      first += graph.states(v);
      end_.push_back(first);
    }
  }
  const std::vector<std::size_t>& slots() const { return slot_; }
  std::size_t first(std::size_t position) const { return first_[position]; }
  void next() {
    for (std::size_t i = slot_.size(); i-- > 0;) {
      if (++slot_[i] < end_[i]) return;
      slot_[i] = first_[i];
    }
  }

 private:
  std::vector<std::size_t> first_, end_, slot_;
};

}  // namespace

void FactorSums::table_messages(FactorId c, double power, const double* in, double* out) {
  const Form& form = forms_[c];
  total_.resize(form.table.size());
  double high = kForbidden;
  Odometer at(graph_, c);
  for (std::size_t e = 0; e < total_.size(); ++e, at.next()) {
    double total = power * form.table[e];
    for (std::size_t s : at.slots()) total += in[s];
    total_[e] = total;
    high = std::max(high, total);
  }
  std::fill_n(out, form.slots, 0.0);
  if (high > kForbidden) {
    for (std::size_t e = 0; e < total_.size(); ++e, at.next()) {
      const double share = std::exp(total_[e] - high);
      for (std::size_t s : at.slots()) out[s] += share;
    }
  }
  bool small = false;
  for (std::size_t s = 0; s < form.slots; ++s) small |= out[s] < kLeast && in[s] > kForbidden;
  if (small && high > kForbidden) return exact_slots(c, in, out);
  for (std::size_t s = 0; s < form.slots; ++s) {
    out[s] = out[s] > 0 && in[s] > kForbidden ? high + std::log(out[s]) - in[s] : kForbidden;
  }
}

// Each slot at its own scale, from the totals.
void FactorSums::exact_slots(FactorId c, const double* in, double* out) {
  const std::size_t slots = forms_[c].slots;
  high_.assign(slots, kForbidden);
  sum_.assign(slots, 0.0);
  Odometer at(graph_, c);
  for (std::size_t e = 0; e < total_.size(); ++e, at.next()) {
    for (std::size_t s : at.slots()) high_[s] = std::max(high_[s], total_[e]);
  }
  for (std::size_t e = 0; e < total_.size(); ++e, at.next()) {
    if (total_[e] == kForbidden) continue;
    for (std::size_t s : at.slots()) sum_[s] += std::exp(total_[e] - high_[s]);
  }
  for (std::size_t s = 0; s < slots; ++s) {
    out[s] = sum_[s] > 0 ? high_[s] + std::log(sum_[s]) - in[s] : kForbidden;
  }
}

void FactorSums::table_expectations(FactorId c, std::size_t position, const double* q,
                                    double* out) {
  const Form& form = forms_[c];
  Odometer at(graph_, c);
  const std::size_t first = at.first(position);
  const State states = graph_.states(graph_.scope(c)[position]);
  std::fill_n(out, states, 0.0);
  for (std::size_t e = 0; e < form.table.size(); ++e, at.next()) {
    double share = 1;
    for (std::size_t i = 0; i < at.slots().size(); ++i) {
      if (i != position) share *= q[at.slots()[i]];
    }
    if (share > 0) out[at.slots()[position] - first] += share * form.table[e];
  }
}

void FactorSums::walk_messages(const Walk& walk, double power, const double* in, double* out) {
  const std::size_t n = walk.moves.size();
  // log-sum-exp into places that several moves reach.
  const auto gather = [&](std::vector<double>& into, const std::vector<Move>& moves, auto value,
                          auto place) {
    high_.assign(into.size(), kForbidden);
    for (const Move& m : moves) high_[place(m)] = std::max(high_[place(m)], value(m));
    sum_.assign(into.size(), 0.0);
    for (const Move& m : moves) {
      if (high_[place(m)] > kForbidden) sum_[place(m)] += std::exp(value(m) - high_[place(m)]);
    }
    for (std::size_t i = 0; i < into.size(); ++i) {
      into[i] = sum_[i] > 0 ? high_[i] + std::log(sum_[i]) : kForbidden;
    }
  };
  std::vector<std::vector<double>> before(n + 1);
  for (std::size_t i = 0; i <= n; ++i) before[i].assign(walk.states[i], 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    gather(
        before[i + 1], walk.moves[i],
        [&](const Move& m) { return before[i][m.from] + power * m.value + in[m.slot]; },
        [](const Move& m) { return m.to; });
  }
  std::vector<double> after{0.0}, next;
  for (std::size_t i = n; i-- > 0;) {
    const std::uint32_t low = walk.slot[i];
    next.assign(walk.slot[i + 1] - low, kForbidden);
    gather(
        next, walk.moves[i],
        [&](const Move& m) { return before[i][m.from] + power * m.value + after[m.to]; },
        [&](const Move& m) { return m.slot - low; });
    std::copy(next.begin(), next.end(), out + low);
    next.assign(walk.states[i], kForbidden);
    gather(
        next, walk.moves[i],
        [&](const Move& m) { return after[m.to] + power * m.value + in[m.slot]; },
        [](const Move& m) { return m.from; });
    std::swap(after, next);
  }
}

// Along the walk go the probability of a state and, beside it, the probability times what was
// scored on the way. What is forbidden has no move, so its share is missing.
void FactorSums::walk_expectations(const Walk& walk, std::size_t position, const double* q,
                                   double* out) {
  struct Pair {
    double share = 0, score = 0;
  };
  const auto extended = [&](const Pair& p, const Move& m, double weight) {
    return Pair{p.share * weight, (p.score + p.share * m.value) * weight};
  };
  const auto add = [](Pair& to, const Pair& p) {
    to.share += p.share;
    to.score += p.score;
  };
  std::vector<Pair> before{{1, 0}}, after{{1, 0}}, next;
  for (std::size_t i = 0; i < position; ++i) {
    next.assign(walk.states[i + 1], {});
    for (const Move& m : walk.moves[i]) add(next[m.to], extended(before[m.from], m, q[m.slot]));
    std::swap(before, next);
  }
  for (std::size_t i = walk.moves.size(); --i > position;) {
    next.assign(walk.states[i], {});
    for (const Move& m : walk.moves[i]) add(next[m.from], extended(after[m.to], m, q[m.slot]));
    std::swap(after, next);
  }
  const std::uint32_t first = walk.slot[position], states = walk.slot[position + 1] - first;
  std::vector<Pair> found(states);
  for (const Move& m : walk.moves[position]) {
    const Pair here = extended(before[m.from], m, 1);
    const Pair& rest = after[m.to];
    add(found[m.slot - first],
        {here.share * rest.share, here.share * rest.score + here.score * rest.share});
  }
  constexpr double kWhole = 1 - 1e-9;
  for (std::size_t x = 0; x < states; ++x) {
    out[x] = found[x].share >= kWhole ? found[x].score : kForbidden;
  }
}

}  // namespace fgnn
