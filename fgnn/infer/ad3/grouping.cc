#include "fgnn/infer/ad3/grouping.h"

#include <map>
#include <utility>

namespace fgnn::admm {
namespace {

class Grouping {
 public:
  explicit Grouping(Problem& problem) : p_(problem), to_(problem.at.size()) {}

  void run() {
    std::map<std::pair<bool, std::uint32_t>, std::vector<LocalFactor>> alike;
    std::vector<LocalFactor> others;
    for (const LocalFactor& f : p_.factors) {
      const bool pair = f.kind == Kind::pair;
      const bool fits = pair || (f.kind == Kind::count && f.flat && !f.turned);
      (fits ? alike[{pair, f.last - f.first}] : others).push_back(f);
    }
    for (const auto& [form, factors] : alike) add_group(form.first, form.second, factors);
    p_.grouped = at_.size();
    for (LocalFactor& f : others) {
      const auto first = static_cast<std::uint32_t>(at_.size());
      for (std::uint32_t l = f.first; l < f.last; ++l) move(l, at_.size());
      f.first = first;
      f.last = static_cast<std::uint32_t>(at_.size());
    }
    for (LocalEdge& edge : p_.edges) edge.first = to_[edge.first];
    p_.factors = std::move(others);
    p_.at = std::move(at_);
    p_.turned = std::move(turned_);
  }

 private:
  void add_group(bool pair, std::uint32_t arity, const std::vector<LocalFactor>& factors) {
    LaneGroup group;
    group.pair = pair;
    group.arity = arity;
    group.first = static_cast<std::uint32_t>(at_.size());
    group.factors = static_cast<std::uint32_t>(factors.size());
    group.lanes = static_cast<std::uint32_t>((factors.size() + kLanes - 1) / kLanes * kLanes);
    at_.resize(group.end(), static_cast<std::int64_t>(p_.theta.size()));
    turned_.resize(group.end(), 0);
    group.coupling.resize(group.lanes);
    group.least.resize(group.lanes);
    group.most.resize(group.lanes);
    group.shift.resize(group.lanes);
    for (std::size_t j = 0; j < factors.size(); ++j) {
      const LocalFactor& f = factors[j];
      for (std::uint32_t i = 0; i < arity; ++i) {
        move(f.first + i, group.first + std::size_t{i} * group.lanes + j);
      }
      group.coupling[j] = f.coupling;
      group.least[j] = f.least;
      group.most[j] = f.least + f.size - 1.0;
    }
    p_.groups.push_back(std::move(group));
  }

  void move(std::uint32_t from, std::size_t to) {
    if (to == at_.size()) {
      at_.push_back(0);
      turned_.push_back(0);
    }
    at_[to] = p_.at[from];
    turned_[to] = p_.turned[from];
    to_[from] = static_cast<std::uint32_t>(to);
  }

  Problem& p_;
  std::vector<std::uint32_t> to_;  // new local coordinate by old
  std::vector<std::int64_t> at_;
  std::vector<char> turned_;
};

}  // namespace

void group_lanes(Problem& problem) { Grouping(problem).run(); }

}  // namespace fgnn::admm
