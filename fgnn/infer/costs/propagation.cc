#include "fgnn/infer/costs/propagation.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fgnn::costs {
namespace {

constexpr std::uint32_t kNobody = ~0u;
// Of variables that are eliminated during the search: neighbours, entries of the table with them.
constexpr std::size_t kMostNeighbours = 3, kMostJoined = 1024;
constexpr double kDirect = 0.1;
constexpr std::uint64_t kStepsOfAsking = 256;  // about
constexpr double kDecay = 1.02;                // of the weights of failures, per failure

}  // namespace

Propagation::Propagation(Store& store, std::vector<std::uint32_t> rank, const Deadline& deadline)
    : store_(store),
      rank_(std::move(rank)),
      by_rank_(rank_.size()),
      queued_(rank_.size(), 0),
      time_(deadline) {
  for (Id v = 0; v < rank_.size(); ++v) by_rank_[rank_[v]] = v;
  for (Id v = 0; v < store_.size(); ++v) {
    if (!store_.left(v).empty()) all_.push_back(v);
  }
  functions_.in.assign(store_.functions(), 0);
  existential_.in.assign(store_.size(), 0);
  met_.assign(store_.size(), 0);
  weight_.assign(store_.functions(), 1);
}

void Propagation::wake_all() {
  for (std::uint32_t f = 0; f < store_.functions(); ++f) functions_.add(f);
  for (Id v : all_) {
    woken(v);
    narrow_.add(v);
  }
  sifted_at_ = -kInfinity;
}

void Propagation::woken(Id v) {
  if (!queued_[v]) direct_.push(rank_[v]);
  queued_[v] = 1;
  for (const Place& place : store_.places(v)) {
    if (store_.gone(place.function)) continue;
    for (const Axis& axis : store_.axes(place.function)) {
      if (axis.variable != v && store_.open(axis.variable)) existential_.add(axis.variable);
    }
  }
}

void Propagation::assign(Id v, std::uint32_t x) {
  store_.assign(v, x);
  wake_functions(v, kNobody);
  decided(v);
  woken(v);
}

void Propagation::remove(Id v, std::uint32_t x) {
  store_.remove(v, x);
  wake_functions(v, kNobody);
  if (!store_.open(v)) decided(v);
  woken(v);
}

void Propagation::wake_functions(Id v, std::uint32_t except) {
  for (const Place& place : store_.places(v)) {
    if (place.function != except && !store_.gone(place.function)) functions_.add(place.function);
  }
}

// Its neighbours have one less.
void Propagation::decided(Id v) {
  for (const Place& place : store_.places(v)) {
    if (store_.gone(place.function)) continue;
    for (const Axis& axis : store_.axes(place.function)) {
      if (store_.open(axis.variable)) narrow_.add(axis.variable);
    }
  }
}

bool Propagation::fail() {
  if (last_ != kNobody) {
    if (last_ >= weight_.size()) weight_.resize(last_ + 1, 1);
    weight_[last_] += unit_;
    unit_ *= kDecay;
    if (unit_ > 1e100) {
      for (double& weight : weight_) weight /= unit_;
      unit_ = 1;
    }
  }
  clear();
  return false;
}

void Propagation::clear() {
  functions_.clear();
  existential_.clear();
  narrow_.clear();
  while (!direct_.empty()) {
    queued_[by_rank_[direct_.top()]] = 0;
    direct_.pop();
  }
}

bool Propagation::lift(Id v) {
  store_.lift(v);
  return store_.bound() < cutoff_;
}

// A state that its functions or the cutoff rule out; they look for other supports.
bool Propagation::lose(Id v, std::uint32_t x, std::uint32_t except) {
  store_.remove(v, x);
  if (store_.left(v).empty()) return false;
  wake_functions(v, except);
  if (!store_.open(v)) decided(v);
  existential_.add(v);
  return true;
}

bool Propagation::sift() {
  bool again = true;
  while (again) {
    again = false;
    sifted_at_ = store_.bound();
    for (Id v : all_) {
      if (!store_.open(v)) continue;
      bool lost = false;
      for (std::size_t k = store_.left(v).size(); k-- > 0;) {
        const std::uint32_t x = store_.left(v)[k];
        if (store_.bound() + store_.unary(v, x) < cutoff_) continue;
        lost = true;
        if (!lose(v, x, kNobody)) return false;
      }
      if (lost && !lift(v)) return false;
    }
    again = store_.bound() > sifted_at_ + least_;
  }
  return true;
}

// Projects function f on its axis i. False: nothing is left.
bool Propagation::raise(std::uint32_t f, std::size_t i, Store::AxisSet with, bool& raised) {
  const Id v = store_.axes(f)[i].variable;
  store_.least(f, i, with, amount_);
  raised = false;
  bool lost = false;
  for (double& amount : amount_) {
    if (amount == kInfinity)
      lost = true;
    else if (amount > (with != Store::kNone ? kDirect * least_ : kTiny))
      raised = true;
    else
      amount = 0;
  }
  if (raised && with != Store::kNone) {
    for (std::size_t j = 0; j < store_.axes(f).size(); ++j) {
      if (j != i && (with >> j & 1) != 0) store_.extend(f, j);
    }
  }
  if (raised) store_.project(f, i, amount_);
  if (lost) {
    const auto mine = store_.left(v);
    const std::vector<std::uint32_t> states(mine.begin(), mine.end());
    for (std::size_t k = 0; k < states.size(); ++k) {
      if (amount_[k] == kInfinity && !lose(v, states[k], f)) return false;
    }
    raised = true;
  }
  return !raised || lift(v);
}

bool Propagation::simple(std::uint32_t f, std::size_t except) {
  last_ = f;
  const auto axes = store_.axes(f);
  bool any = false;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i == except || !store_.open(axes[i].variable)) continue;
    any = true;
    bool raised = false;
    if (!raise(f, i, Store::kNone, raised)) return false;
    if (raised) woken(axes[i].variable);
  }
  if (any || except < axes.size()) return true;
  bool raised = false;  // all are assigned: what is left goes to the bound
  return raise(f, 0, Store::kNone, raised);
}

// Everything that f and the unary costs of its variables cost together goes to axis i; what was too
// much comes back.
bool Propagation::full(std::uint32_t f, std::size_t i) {
  last_ = f;
  bool raised = false;
  if (!raise(f, i, Store::kAll, raised)) return false;
  if (!raised) return true;
  woken(store_.axes(f)[i].variable);
  return simple(f, i);
}

bool Propagation::direct(Id v) {
  for (const Place& place : store_.places(v)) {
    if (store_.gone(place.function)) continue;
    const auto axes = store_.axes(place.function);
    std::size_t top = axes.size();
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (!store_.open(axes[i].variable)) continue;
      if (top == axes.size() || rank_[axes[i].variable] > rank_[axes[top].variable]) top = i;
    }
    if (top == axes.size() || axes[top].variable == v) continue;
    if (!full(place.function, top)) return false;
  }
  return true;
}

// The unary costs of a variable that shares several functions with v count once.
void Propagation::share_out(Id v) {
  own_.clear();
  star_places_.clear();
  met_[v] = 1;
  for (const Place& place : store_.places(v)) {
    if (store_.gone(place.function)) continue;
    star_places_.push_back(place);
    Store::AxisSet own = 0, bit = 1;
    for (const Axis& axis : store_.axes(place.function)) {
      if (!met_[axis.variable]) own |= bit;
      met_[axis.variable] = 1;
      bit <<= 1;
    }
    own_.push_back(own);
  }
  for (const Place& place : star_places_) {
    for (const Axis& axis : store_.axes(place.function)) met_[axis.variable] = 0;
  }
  met_[v] = 0;
}

bool Propagation::existential(Id v) {
  const auto mine = store_.left(v);
  share_out(v);
  const auto& places = star_places_;
  star_.resize(mine.size());
  for (std::size_t k = 0; k < mine.size(); ++k) star_[k] = store_.unary(v, mine[k]);
  for (std::size_t p = 0; p < places.size(); ++p) {
    store_.least(places[p].function, places[p].axis, own_[p], sum_);
    for (std::size_t k = 0; k < mine.size(); ++k) star_[k] += sum_[k];
  }
  const double gain = *std::ranges::min_element(star_);
  if (gain <= least_) return true;
  if (gain == kInfinity) return false;
  for (std::size_t p = 0; p < places.size(); ++p) {
    last_ = places[p].function;
    bool raised = false;
    if (!raise(last_, places[p].axis, own_[p], raised)) return false;
  }
  for (const Place& place : places) {
    if (!simple(place.function, place.axis)) return false;
  }
  woken(v);
  return true;
}

// False: some neighbour has no state left.
bool Propagation::eliminate(Id v) {
  around_.clear();
  for (const Place& place : store_.places(v)) {
    if (store_.gone(place.function)) continue;
    for (const Axis& axis : store_.axes(place.function)) {
      const Id u = axis.variable;
      if (u != v && store_.open(u) && std::ranges::find(around_, u) == around_.end()) {
        if (around_.size() == kMostNeighbours) return true;
        around_.push_back(u);
      }
    }
  }
  if (around_.empty()) {
    std::uint32_t best = store_.left(v).front();
    for (std::uint32_t x : store_.left(v)) {
      if (store_.unary(v, x) < store_.unary(v, best)) best = x;
    }
    store_.assign(v, best);
    return lift(v);
  }
  std::size_t entries = store_.left(v).size();
  for (Id u : around_) entries *= store_.states(u);
  if (entries > kMostJoined) return true;
  std::ranges::sort(around_);
  const std::uint32_t f = store_.eliminate(v, around_);
  if (f == Store::kNoFunction) {
    const Id u = around_.front();
    for (std::size_t k = store_.left(u).size(); k-- > 0;) {
      const std::uint32_t x = store_.left(u)[k];
      if (store_.unary(u, x) == kInfinity && !lose(u, x, kNobody)) return false;
    }
    if (!lift(u)) return false;
  } else {
    functions_.add(f);
  }
  for (Id u : around_) {
    if (!store_.open(u)) continue;
    woken(u);
    existential_.add(u);
    narrow_.add(u);
  }
  return true;
}

bool Propagation::run(double cutoff, double least) {
  // Undone since, or less is enough to be ruled out now.
  if (sifted_at_ > store_.bound() || cutoff < cutoff_) sifted_at_ = -kInfinity;
  cutoff_ = cutoff;
  least_ = least;
  last_ = kNobody;
  if (store_.bound() >= cutoff_) return fail();
  while (true) {
    if (time_.late(kStepsOfAsking)) {  // what is not done now may be done later, or never
      clear();
      return true;
    }
    if (!functions_.list.empty()) {
      const std::uint32_t f = functions_.take();
      if (!store_.gone(f) && !simple(f, store_.axes(f).size())) return fail();
    } else if (store_.bound() > sifted_at_ + least_) {
      if (!sift()) return fail();
    } else if (!direct_.empty()) {
      const Id v = by_rank_[direct_.top()];
      direct_.pop();
      queued_[v] = 0;
      if (!direct(v)) return fail();
    } else if (!existential_.list.empty()) {
      const Id v = existential_.take();
      if (store_.open(v) && !existential(v)) return fail();
    } else if (!narrow_.list.empty()) {
      const Id v = narrow_.take();
      if (store_.open(v) && !eliminate(v)) return fail();
    } else {
      return true;
    }
  }
}

}  // namespace fgnn::costs
