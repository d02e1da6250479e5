#include "fgnn/infer/bp/group.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <tuple>

#include "fgnn/infer/table_store.h"
#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/max_rank_one.h"

namespace fgnn::bp {
namespace {

constexpr std::uint64_t kSmallTable = 64;   // entries up to which factors always go side by side
constexpr std::uint64_t kLaneTable = 1024;  // and up to which they do when there are many
constexpr std::size_t kManyFactors = 64;
constexpr std::size_t kSmallArity = 100;  // products of so many messages stay within a float
constexpr std::size_t kShortCounter = 16;
constexpr std::size_t kWorthSharing = 8;  // factors; fewer are cheaper side by side

// Logarithms of a table may spread this far before its linear form loses states.
template <class T>
constexpr double kLinearRange = std::is_same_v<T, float> ? 40 : 350;

// What decides the group of a factor.
struct Key {
  Kernel kernel = Kernel::table;
  Algebra algebra = Algebra::sum;
  std::vector<State> shape;
  std::vector<std::uint8_t> chosen;
  std::size_t terms = 0;
  bool flag = false;                         // odd, modulo, or signed terms
  std::uint32_t shared = ~std::uint32_t{0};  // potential index when all factors share it

  auto operator<=>(const Key&) const = default;
};

template <class T>
class Maker {
 public:
  Maker(const FactorGraph& graph, Algebra algebra, double temperature, const Deadline& deadline,
        bool support)
      : graph_(graph),
        algebra_(algebra),
        temperature_(temperature),
        support_(support),
        tables_(deadline) {
    uses_.assign(graph.num_potentials(), 0);
    for (FactorId c = 0; c < graph.num_factors(); ++c) {
      ++uses_[graph.potential_index(c)];
      const auto shape = graph.shape(c);
      const std::uint64_t entries = configurations(shape);
      if (entries > kSmallTable && entries <= kLaneTable) ++of_shape_[shape];
    }
  }

  std::vector<Group<T>> run() {
    for (FactorId c = 0; c < graph_.num_factors(); ++c) {
      const Key key = key_of(c);
      const auto [place, fresh] = index_.try_emplace(key, groups_.size());
      if (fresh) groups_.push_back(empty_group(key));
      groups_[place->second].factors.push_back(c);
    }
    std::size_t messages = 0;
    for (auto& group : groups_) {
      group.messages = messages;
      messages += group.message_count();
      place_variables(group);
      fill(group);
    }
    return std::move(groups_);
  }

 private:
  Key key_of(FactorId c) {
    const Potential& p = graph_.potential(c);
    const Stored stored = p.stored();
    Key key{.algebra = algebra_, .shape = graph_.shape(c)};
    const std::uint32_t index = graph_.potential_index(c);
    if (const Counting* count = stored.counting; count != nullptr && count->is_parity()) {
      key.kernel = key.shape.size() <= kSmallArity ? Kernel::small_parity : Kernel::count;
      key.flag = key.kernel == Kernel::count || count->value(0) == kForbidden;
      if (key.kernel == Kernel::count) key.terms = 2;
      return key;
    } else if (count != nullptr) {
      key.kernel = key.shape.size() <= kSmallArity ? Kernel::small_count : Kernel::count;
      for (std::size_t i = 0; i < key.shape.size(); ++i) {
        for (State x = 0; x < key.shape[i]; ++x) key.chosen.push_back(count->is_chosen(i, x));
      }
      // Short counters do not saturate, so that budgets of different sizes share a group.
      const std::size_t n = key.shape.size();
      key.terms = (n <= kShortCounter ? n : std::min(count->saturation(), n)) + 1;
      set_range(key, *this_values(*count, key.shape.size()));
    } else if (const LowRank* low = stored.sum;
               low && algebra_ == Algebra::sum && temperature_ == 1) {
      key.kernel = Kernel::low_rank;
      key.terms = low->rank();
      key.flag = !low->non_negative();
      const ScoreRange range = low->range(key.shape);
      const bool wide = range.high - range.low > kLinearRange<T>;
      if (wide && !key.flag) key.algebra = Algebra::log_sum;
      return key;
    } else if (const MaxRankOne* maximum = stored.maximum; maximum && algebra_ == Algebra::max) {
      key.kernel = Kernel::max_rank_one;
      key.terms = maximum->size();
      return key;
    } else if (stored.table == nullptr && configurations(key.shape) > kSmallTable &&
               own_kernel(c) != nullptr) {
      key.kernel = Kernel::own;
      key.algebra = algebra_of(p.range(key.shape));
      return key;
    } else {
      key.kernel = side_by_side(key.shape) ? Kernel::small_table : Kernel::table;
      const std::span<const double> values = tables_.values(graph_, c);
      if (stored.table != nullptr) {
        const auto [wide, fresh] = wide_.try_emplace(index, false);  // tables are long, and shared
        if (fresh) wide->second = too_wide(values);
        if (wide->second) key.algebra = Algebra::log_sum;
      } else {
        set_range(key, values);
      }
    }
    const bool lanes = key.kernel <= Kernel::small_parity;
    if (lanes && uses_[index] >= kWorthSharing) key.shared = index;
    return key;
  }

  bool side_by_side(const std::vector<State>& shape) const {
    if (configurations(shape) <= kSmallTable) return true;
    const auto place = of_shape_.find(shape);
    return place != of_shape_.end() && place->second >= kManyFactors;
  }

  // Tables too spread out for the linear domain are worked in the log domain.
  void set_range(Key& key, std::span<const double> log_values) const {
    if (too_wide(log_values)) key.algebra = Algebra::log_sum;
  }

  bool too_wide(std::span<const double> log_values) const {
    if (algebra_ != Algebra::sum) return false;
    ScoreRange range;
    for (double v : log_values) range.include(v);
    return algebra_of(range) == Algebra::log_sum;
  }

  Algebra algebra_of(const ScoreRange& range) const {
    const bool wide = (range.high - range.low) / temperature_ > kLinearRange<T>;
    return wide && algebra_ == Algebra::sum ? Algebra::log_sum : algebra_;
  }

  // The kernel that the potential brings along, if any; one for all factors that share it.
  const std::shared_ptr<const MessageKernel>& own_kernel(FactorId c) {
    auto shape = graph_.shape(c);
    const auto [place, fresh] = own_.try_emplace({graph_.potential_index(c), shape});
    if (fresh) {
      const Reduction reduction = algebra_ == Algebra::max ? Reduction::max : Reduction::sum;
      place->second = graph_.potential(c).messages(shape, reduction, temperature_);
    }
    return place->second;
  }

  const std::vector<double>* this_values(const Counting& count, std::size_t n) {
    scratch_.clear();
    for (std::size_t k = 0; k <= n; ++k) scratch_.push_back(count.value(k));
    return &scratch_;
  }

  static std::uint64_t steps_of(const Group<T>& g) {
    switch (g.kernel) {
      case Kernel::small_table:
      case Kernel::table:
        return configurations(g.shape) * g.arity();
      case Kernel::own:
        return 1;  // known when it is filled
      default:
        return g.width() * std::max<std::uint64_t>(1, g.terms);
    }
  }

  Group<T> empty_group(const Key& key) {
    Group<T> g;
    g.kernel = key.kernel;
    g.algebra = key.algebra;
    g.shape = key.shape;
    g.chosen = key.chosen;
    g.slot.push_back(0);
    for (State s : key.shape) g.slot.push_back(g.slot.back() + s);
    g.counts = g.terms = key.terms;
    g.odd = key.kernel == Kernel::small_parity && key.flag;
    g.signed_terms = key.kernel == Kernel::low_rank && key.flag;
    g.modulo = key.kernel == Kernel::count && key.flag;
    g.shared = key.shared != ~std::uint32_t{0};
    g.steps = steps_of(g);
    return g;
  }

  void place_variables(Group<T>& g) const {
    g.variable.resize(g.size() * g.arity());
    for (std::size_t f = 0; f < g.size(); ++f) {
      const auto scope = graph_.scope(g.factors[f]);
      for (std::size_t j = 0; j < scope.size(); ++j) {
        g.variable[g.lanes() ? j * g.size() + f : f * g.arity() + j] =
            static_cast<std::uint32_t>(graph_.state_offset(scope[j]));
      }
    }
  }

  T number(const Group<T>& g, double log_value, double scale) const {
    if (support_ && log_value != kForbidden) return T(0);
    const double scaled = log_value / temperature_ - scale;
    return static_cast<T>(g.algebra == Algebra::sum ? std::exp(scaled) : scaled);
  }

  // Appends log-values as numbers of the group's algebra, divided by their maximum.
  double append(Group<T>& g, std::span<const double> log_values) {
    double scale = kForbidden;
    for (double v : log_values) scale = std::max(scale, v / temperature_);
    if (scale == kForbidden || g.algebra == Algebra::max) scale = 0;
    for (double v : log_values) g.numbers.push_back(number(g, v, scale));
    return scale;
  }

  void fill(Group<T>& g) {
    switch (g.kernel) {
      case Kernel::small_table:
        fill_lanes(g, [&](FactorId c) { return tables_.values(graph_, c); });
        break;
      case Kernel::small_count:
        fill_lanes(g, [&](FactorId c) -> std::span<const double> {
          return *this_values(*graph_.potential(c).stored().counting, g.counts - 1);
        });
        break;
      case Kernel::small_parity:
        g.log_scale.assign(g.size(), 0.0);
        break;
      case Kernel::own:
        fill_own(g);
        break;
      default:
        fill_single(g);
    }
  }

  void fill_own(Group<T>& g) {
    g.support = support_;
    std::map<const MessageKernel*, std::size_t> places;
    for (FactorId c : g.factors) {
      const auto& kernel = own_kernel(c);
      const auto [place, fresh] = places.try_emplace(kernel.get(), g.own.size());
      if (fresh) g.own.push_back(kernel);
      g.start.push_back(place->second);
      g.log_scale.push_back(g.algebra == Algebra::max ? 0 : kernel->log_scale());
      g.steps = std::max(g.steps, kernel->steps());
    }
  }

  template <class Values>
  void fill_lanes(Group<T>& g, Values values_of) {
    std::vector<T> tiles;
    // The last tile is filled up with copies of the last factor.
    const std::size_t padded = (g.size() + g.kTile - 1) / g.kTile * g.kTile;
    for (std::size_t f = 0; f < padded; ++f) {
      if (f < g.size()) {
        g.numbers.clear();
        g.log_scale.push_back(append(g, values_of(g.factors[f])));
        g.entries = g.numbers.size();
        if (g.shared) break;
      }
      tiles.resize(padded * g.entries);
      for (std::size_t e = 0; e < g.entries; ++e) tiles[g.number_at(e, f)] = g.numbers[e];
    }
    if (!g.shared) g.numbers = std::move(tiles);
    g.log_scale.resize(g.size(), g.log_scale[0]);
  }

  void fill_single(Group<T>& g) {
    std::map<std::uint32_t, std::pair<std::size_t, double>> seen;  // potential -> start, scale
    std::map<std::uint32_t, std::size_t> twin_at;
    for (FactorId c : g.factors) {
      const auto [place, fresh] =
          seen.try_emplace(graph_.potential_index(c), g.numbers.size(), 0.0);
      if (fresh) {
        twin_at[graph_.potential_index(c)] = g.twin.size();
        place->second.second = append_single(g, c);
        append_twin(g, c, place->second.second);
      }
      g.start.push_back(place->second.first);
      g.twin_start.push_back(twin_at[graph_.potential_index(c)]);
      g.log_scale.push_back(place->second.second);
    }
  }

  double append_single(Group<T>& g, FactorId c) {
    const Stored stored = graph_.potential(c).stored();
    if (g.kernel == Kernel::table) return append(g, tables_.values(graph_, c));
    if (g.kernel == Kernel::count) return append(g, *this_values(*stored.counting, g.counts - 1));
    if (g.kernel == Kernel::low_rank) {
      const LowRank& low = *stored.sum;
      return g.algebra == Algebra::sum ? append_terms(g, low) : append_log_terms(g, low);
    }
    for (std::size_t s = 0; s < g.width(); ++s) {
      for (std::size_t z = 0; z < g.terms; ++z) {
        g.numbers.push_back(number(g, stored.maximum->term(z)[s], 0));
      }
    }
    return 0;
  }

  // lambda_r prod_j w_j^r(x_j) with every weight near 1: the powers of two are taken out of each
  // term, and the largest of them out of all, so that neither products nor sums overflow.
  double append_terms(Group<T>& g, const LowRank& low) {
    std::vector<std::vector<int>> exponent(g.arity(), std::vector<int>(g.terms, 0));
    std::vector<long> total(g.terms, 0);
    long high = std::numeric_limits<long>::min();
    for (std::size_t r = 0; r < g.terms; ++r) {
      if (low.lambda()[r] == 0) continue;
      for (std::size_t j = 0; j < g.arity(); ++j) {
        double largest = 0;
        for (State x = 0; x < g.shape[j]; ++x) {
          largest = std::max(largest, std::fabs(low.weight(j, x, r)));
        }
        if (largest > 0) exponent[j][r] = std::ilogb(largest);
        total[r] += exponent[j][r];
      }
      high = std::max(high, total[r] + std::ilogb(low.lambda()[r]));
    }
    if (high == std::numeric_limits<long>::min()) high = 0;  // no term at all
    for (std::size_t j = 0; j < g.arity(); ++j) {
      for (State x = 0; x < g.shape[j]; ++x) {
        for (std::size_t r = 0; r < g.terms; ++r) {
          double number = std::ldexp(low.weight(j, x, r), -exponent[j][r]);
          if (j == 0) {
            const auto shift = std::clamp<long>(total[r] - high, -10000, 10000);
            number *= std::ldexp(low.lambda()[r], static_cast<int>(shift));
          }
          g.numbers.push_back(static_cast<T>(number));
        }
      }
    }
    return low.log_scale() + static_cast<double>(high) * std::numbers::ln2;
  }

  void append_twin(Group<T>& g, FactorId c, double log_scale) {
    const std::uint64_t entries = configurations(g.shape);
    if (!g.signed_terms || entries > std::max<std::uint64_t>(kLaneTable, 4 * g.width() * g.terms)) {
      return;
    }
    for (double value : tables_.values(graph_, c))
      g.twin.push_back(static_cast<T>(value - log_scale));
  }

  double append_log_terms(Group<T>& g, const LowRank& low) {
    const double scale = low.range(g.shape).high - low.log_scale();
    for (std::size_t j = 0; j < g.arity(); ++j) {
      for (State x = 0; x < g.shape[j]; ++x) {
        for (std::size_t r = 0; r < g.terms; ++r) {
          double number = std::log(low.weight(j, x, r));
          if (j == 0) number += std::log(low.lambda()[r]) - scale;
          g.numbers.push_back(static_cast<T>(number));
        }
      }
    }
    return low.log_scale() + scale;
  }

  const FactorGraph& graph_;
  Algebra algebra_;
  double temperature_;
  bool support_;
  TableStore tables_;
  std::vector<std::size_t> uses_;
  std::map<std::vector<State>, std::size_t> of_shape_;  // factors, for tables of middling size
  std::map<Key, std::size_t> index_;
  std::map<std::pair<std::uint32_t, std::vector<State>>, std::shared_ptr<const MessageKernel>> own_;
  std::vector<Group<T>> groups_;
  std::map<std::uint32_t, bool> wide_;  // of table potentials: whether too_wide
  std::vector<double> scratch_;
};

}  // namespace

template <class T>
std::vector<Group<T>> make_groups(const FactorGraph& graph, Algebra algebra, double temperature,
                                  const Deadline& deadline, bool support) {
  return Maker<T>(graph, algebra, temperature, deadline, support).run();
}

template std::vector<Group<float>> make_groups(const FactorGraph&, Algebra, double, const Deadline&,
                                               bool);
template std::vector<Group<double>> make_groups(const FactorGraph&, Algebra, double,
                                                const Deadline&, bool);

}  // namespace fgnn::bp
