#include "fgnn/infer/exact/passes.h"

#include <algorithm>
#include <new>
#include <queue>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/infer/exact/kernels.h"

namespace fgnn::exact {
namespace {

constexpr std::size_t kSplitFrom = 1 << 16;  // joint states from which a bucket is worth splitting
// Time of a block and of a bucket beside that of its joint states, in joint states.
constexpr std::size_t kPerBlock = 64, kPerBucket = 1024;
constexpr std::size_t kStoredFrom = 1 << 14;  // larger states x block are computed twice, not kept

Arena allocate(std::size_t n, bool zeroed) {
  const std::size_t entries = std::max<std::size_t>(n, 1);
  void* memory =
      zeroed ? std::calloc(entries, sizeof(double)) : std::malloc(entries * sizeof(double));
  if (memory == nullptr) throw std::bad_alloc();
  return Arena(static_cast<double*>(memory));
}

// A part of a bucket's separator: some values of each outer axis.
struct Piece {
  std::vector<State> from, to;
};

// Cuts the outer axes for which allowed(axis) holds until there are enough pieces.
template <class Allowed>
std::vector<Piece> cut(const Bucket& bucket, int threads, Allowed allowed) {
  Piece whole;
  for (std::size_t a = 0; a < bucket.outer; ++a) {
    whole.from.push_back(0);
    whole.to.push_back(bucket.sizes[a]);
  }
  std::vector<Piece> pieces{whole};
  if (threads == 1 || bucket.entries * bucket.states < kSplitFrom) return pieces;
  for (std::size_t a = 0; a < bucket.outer && pieces.size() < static_cast<std::size_t>(threads);
       ++a) {
    if (!allowed(a)) continue;
    std::vector<Piece> finer;
    for (const Piece& piece : pieces) {
      for (State x = 0; x < bucket.sizes[a]; ++x) {
        finer.push_back(piece);
        finer.back().from[a] = x;
        finer.back().to[a] = x + 1;
      }
    }
    pieces = std::move(finer);
  }
  return pieces;
}

// Steps through the blocks of a piece, keeping every input's offset up to date.
class Cursor {
 public:
  Cursor(const Buckets& plan, const Bucket& bucket, const Piece& piece)
      : plan_(plan), bucket_(bucket), piece_(piece), digit_(piece.from) {
    for (const Input& input : bucket.inputs) {
      std::size_t at = input.base;
      for (std::size_t a = 0; a < bucket.outer; ++a) at += offset(input, 1 + a, digit_[a]);
      at_.push_back(at);
    }
    std::size_t stride = bucket.block;
    strides_.resize(bucket.outer);
    for (std::size_t a = bucket.outer; a-- > 0; stride *= bucket.sizes[a]) {
      strides_[a] = stride;
      entry_ += digit_[a] * stride;
    }
  }

  std::size_t entry() const { return entry_; }  // of the separator
  std::size_t at(std::size_t input) const { return at_[input]; }

  bool next() {
    for (std::size_t a = bucket_.outer; a-- > 0;) {
      const State old = digit_[a];
      const bool wraps = old + 1 == piece_.to[a];
      const State fresh = wraps ? piece_.from[a] : old + 1;
      digit_[a] = fresh;
      entry_ += fresh * strides_[a] - old * strides_[a];
      for (std::size_t k = 0; k < at_.size(); ++k) {
        const Input& input = bucket_.inputs[k];
        at_[k] += offset(input, 1 + a, fresh) - offset(input, 1 + a, old);
      }
      if (!wraps) return true;
    }
    return false;
  }

 private:
  std::size_t offset(const Input& input, std::size_t axis, State x) const {
    const std::uint32_t at = input.offsets[axis];
    return at == Input::kAbsent ? 0 : plan_.offsets[at + x];
  }

  const Buckets& plan_;
  const Bucket& bucket_;
  const Piece& piece_;
  std::vector<State> digit_;
  std::vector<std::size_t> at_, strides_;
  std::size_t entry_ = 0;
};

// One bucket with the places of its inputs' numbers.
class Joiner {
 public:
  Joiner(const Pass& pass, const Bucket& bucket, const double* messages)
      : plan_(pass.plan), bucket_(bucket), data_(pass.data), messages_(messages) {}

  std::size_t of_state(const Input& input, State x) const {
    return input.offsets[0] == Input::kAbsent ? 0 : plan_.offsets[input.offsets[0] + x];
  }

  // out = sum of all inputs on this block, with the variable in state x.
  void join(const Cursor& cursor, State x, double* out) const {
    const Kernels& kernel = kernels();
    const auto& inputs = bucket_.inputs;
    std::size_t k = 0;
    double constant = 0;
    for (; k < inputs.size() && inputs[k].access == Input::Access::constant; ++k) {
      constant += data(inputs[k])[cursor.at(k) + of_state(inputs[k], x)];
    }
    std::fill_n(out, bucket_.block, constant);
    for (; k < inputs.size(); ++k) {
      const double* in = data(inputs[k]) + cursor.at(k) + of_state(inputs[k], x);
      if (inputs[k].access == Input::Access::contiguous) {
        kernel.add(in, out, bucket_.block);
      } else {
        kernel.add_gathered(in, &plan_.maps[inputs[k].map], out, bucket_.block);
      }
    }
  }

  // The same for one joint state of the separator, given every variable's state.
  double join_one(State x, const std::vector<State>& states) const {
    double sum = 0;
    for (std::size_t k = 0; k < bucket_.inputs.size(); ++k) {
      const Input& input = bucket_.inputs[k];
      std::size_t at = input.base + of_state(input, x);
      for (std::size_t a = 0; a < bucket_.separator.size(); ++a) {
        const std::uint32_t offsets = input.offsets[1 + a];
        if (offsets != Input::kAbsent) at += plan_.offsets[offsets + states[bucket_.separator[a]]];
      }
      sum += data(input)[at];
    }
    return sum;
  }

 private:
  const double* data(const Input& input) const {
    return input.message ? messages_ + plan_.buckets[input.index].message : data_[input.index];
  }

  const Buckets& plan_;
  const Bucket& bucket_;
  const std::vector<const double*>& data_;
  const double* messages_;
};

// Looks at the clock every so many joint states; one for each thread.
class Clock {
 public:
  explicit Clock(const Pass& pass) : budget_(pass.budget), time_(pass.budget.deadline()) {}
  void spend(std::size_t joint_states) {
    if (time_.late(joint_states)) budget_.check_time();
  }

 private:
  const Budget& budget_;
  TimeCheck time_;
};

void reduce_max(const Bucket& bucket, const Joiner& joiner, const Cursor& cursor, Clock& clock,
                std::vector<double>& buffer, double* out) {
  buffer.resize(bucket.block);
  joiner.join(cursor, 0, out);
  for (State x = 1; x < bucket.states; ++x) {
    clock.spend(bucket.block);
    joiner.join(cursor, x, buffer.data());
    kernels().maximum(buffer.data(), out, bucket.block);
  }
}

void reduce_sum(const Bucket& bucket, const Joiner& joiner, const Cursor& cursor, Clock& clock,
                std::vector<double>& buffer, double* out) {
  const Kernels& kernel = kernels();
  const std::size_t n = bucket.block;
  const bool keep = n * bucket.states <= std::max(kStoredFrom, n);
  buffer.resize(n + (keep ? n * bucket.states : n));
  double* sum = buffer.data();
  const auto joined = [&](State x) { return sum + n + (keep ? n * x : 0); };
  std::fill_n(out, n, kForbidden);
  for (State x = 0; x < bucket.states; ++x) {
    clock.spend(4 * n);
    joiner.join(cursor, x, joined(x));
    kernel.maximum(joined(x), out, n);
  }
  std::fill_n(sum, n, 0.0);
  for (State x = 0; x < bucket.states; ++x) {
    clock.spend(8 * n);
    if (!keep) joiner.join(cursor, x, joined(x));
    kernel.add_exp(joined(x), out, sum, n);
  }
  kernel.add_log(sum, out, n);
}

// Adds the clique's posterior, with the variable in state x, to the posteriors of the separators
// of the buckets below.
void pass_down(const Buckets& plan, const Bucket& bucket, const Joiner& joiner,
               const Cursor& cursor, State x, const std::vector<double>& posterior, double sum,
               double* below) {
  for (std::size_t k = 0; k < bucket.inputs.size(); ++k) {
    const Input& input = bucket.inputs[k];
    if (!input.message) continue;
    double* out =
        below + plan.buckets[input.index].message + cursor.at(k) + joiner.of_state(input, x);
    switch (input.access) {
      case Input::Access::constant:
        *out += sum;
        break;
      case Input::Access::contiguous:
        kernels().add(posterior.data(), out, bucket.block);
        break;
      case Input::Access::gathered: {
        const std::int32_t* map = &plan.maps[input.map];
        for (std::size_t i = 0; i < bucket.block; ++i) out[map[i]] += posterior[i];
      }
    }
  }
}

double total_work(const Buckets& plan) {
  double work = 0;
  for (const Bucket& b : plan.buckets) work += static_cast<double>(b.entries) * b.states;
  return work;
}

}  // namespace

std::uint64_t scratch_bytes(State most_states, int threads) {
  if (most_states * std::uint64_t{2} < kStoredFrom) return 0;
  return static_cast<std::uint64_t>(threads) * sizeof(double) * 3 * most_states;
}

Upward upward(const Pass& pass, Semiring semiring) {
  Upward up;
  up.messages = allocate(pass.plan.arena, false);
  Stage stage(pass.control, "eliminating", total_work(pass.plan));
  Clock between(pass);
  for (const Bucket& bucket : pass.plan.buckets) {
    between.spend(kPerBucket);
    const Joiner joiner(pass, bucket, up.messages.get());
    double* message = up.messages.get() + bucket.message;
    const auto pieces = cut(bucket, pass.threads, [](std::size_t) { return true; });
    const auto work = [&](std::size_t begin, std::size_t end) {
      std::vector<double> buffer;
      Clock clock(pass);
      for (std::size_t p = begin; p < end; ++p) {
        Cursor cursor(pass.plan, bucket, pieces[p]);
        do {
          clock.spend(kPerBlock);
          double* out = message + cursor.entry();
          semiring == Semiring::sum ? reduce_sum(bucket, joiner, cursor, clock, buffer, out)
                                    : reduce_max(bucket, joiner, cursor, clock, buffer, out);
        } while (cursor.next());
      }
    };
    if (pieces.size() == 1) {
      work(0, 1);
    } else {
      parallel_for(pass.threads, pieces.size(), 1, work);
    }
    stage.advance(static_cast<double>(bucket.entries) * bucket.states);
  }
  for (std::uint32_t root : pass.plan.roots) {
    up.total += up.messages[pass.plan.buckets[root].message];
  }
  return up;
}

std::vector<std::vector<double>> backward(const Pass& pass, const Upward& up) {
  const Buckets& plan = pass.plan;
  const Arena posterior = allocate(plan.arena, true);
  std::vector<std::vector<double>> result(plan.buckets.size());
  for (std::uint32_t root : plan.roots) posterior[plan.buckets[root].message] = 1;
  Stage stage(pass.control, "marginals", total_work(plan));
  Clock between(pass);
  for (std::size_t b = plan.buckets.size(); b-- > 0;) {
    between.spend(kPerBucket);
    const Bucket& bucket = plan.buckets[b];
    const Joiner joiner(pass, bucket, up.messages.get());
    // Pieces may run side by side when they write to different places of every message below.
    const auto pieces = cut(bucket, pass.threads, [&](std::size_t axis) {
      return std::ranges::all_of(bucket.inputs, [&](const Input& input) {
        return !input.message || input.offsets[1 + axis] != Input::kAbsent;
      });
    });
    std::vector<std::vector<double>> share(pieces.size(), std::vector<double>(bucket.states, 0.0));
    const auto work = [&](std::size_t begin, std::size_t end) {
      std::vector<double> buffer(bucket.block);
      Clock clock(pass);
      for (std::size_t p = begin; p < end; ++p) {
        Cursor cursor(plan, bucket, pieces[p]);
        do {
          clock.spend(kPerBlock);
          const std::size_t entry = bucket.message + cursor.entry();
          for (State x = 0; x < bucket.states; ++x) {
            clock.spend(8 * bucket.block);
            joiner.join(cursor, x, buffer.data());
            const double sum = kernels().posterior(buffer.data(), up.messages.get() + entry,
                                                   posterior.get() + entry, bucket.block);
            share[p][x] += sum;
            pass_down(plan, bucket, joiner, cursor, x, buffer, sum, posterior.get());
          }
        } while (cursor.next());
      }
    };
    if (pieces.size() == 1) {
      work(0, 1);
    } else {
      parallel_for(pass.threads, pieces.size(), 1, work);
    }
    result[b].assign(bucket.states, 0.0);
    for (const auto& part : share) {
      for (State x = 0; x < bucket.states; ++x) result[b][x] += part[x];
    }
    stage.advance(static_cast<double>(bucket.entries) * bucket.states);
  }
  return result;
}

namespace {

// Best-first search over the variables in reverse order of elimination. Given the separator, the
// bucket tells exactly what each state of its variable loses against the best one, so a partial
// assignment knows the score of its best completion: no node is expanded in vain.
class BestFirst {
 public:
  BestFirst(const Pass& pass, const Upward& up)
      : pass_(pass), plan_(pass.plan), up_(up), clock_(pass), hold_(pass.budget) {
    push({.depth = 0, .score = up.total});
  }

  // The next best assignment; false when there is none left.
  bool next(Best& best) {
    if (open_.empty()) return false;
    const std::size_t start = open_.top().second;
    open_.pop();
    const std::size_t n = plan_.buckets.size();
    hold_.take(n * sizeof(State));  // of the assignment that the caller keeps
    best.states.assign(n, 0);
    for (std::size_t node = start; nodes_[node].depth > 0; node = nodes_[node].parent) {
      best.states[plan_.buckets[n - nodes_[node].depth].variable] = nodes_[node].state;
    }
    best.score = nodes_[start].score;
    std::size_t parent = start;
    for (std::size_t depth = nodes_[start].depth; depth < n; ++depth) {
      parent = descend(parent, depth, best);
    }
    return true;
  }

 private:
  struct Node {
    std::size_t parent = 0;
    std::size_t depth = 0;  // variables assigned
    State state = 0;
    double score = 0;  // of the best completion
  };

  // Assigns the next variable its best state and leaves the others for later.
  std::size_t descend(std::size_t parent, std::size_t depth, Best& best) {
    const std::size_t b = plan_.buckets.size() - 1 - depth;
    const Bucket& bucket = plan_.buckets[b];
    const Joiner joiner(pass_, bucket, up_.messages.get());
    clock_.spend(kPerBlock * bucket.inputs.size());
    values_.resize(bucket.states);
    for (State x = 0; x < bucket.states; ++x) values_[x] = joiner.join_one(x, best.states);
    const auto top = std::max_element(values_.begin(), values_.end());
    const auto chosen = static_cast<State>(top - values_.begin());
    best.states[bucket.variable] = chosen;
    if (keep_others) {
      for (State x = 0; x < bucket.states; ++x) {
        if (x == chosen || values_[x] == kForbidden) continue;
        push({parent, depth + 1, x, best.score + (values_[x] - *top)});
      }
    }
    keep({parent, depth + 1, chosen, best.score});
    return nodes_.size() - 1;
  }

  void keep(Node node) {
    hold_.take(kPerNode);
    nodes_.push_back(node);
  }

  void push(Node node) {
    keep(node);
    open_.emplace(node.score, nodes_.size() - 1);
  }

  static constexpr std::size_t kPerNode = 2 * sizeof(Node);  // the list has room to grow

  const Pass& pass_;
  const Buckets& plan_;
  const Upward& up_;
  Clock clock_;
  Hold hold_;
  std::vector<Node> nodes_;
  std::vector<double> values_;
  std::priority_queue<std::pair<double, std::size_t>> open_;

 public:
  bool keep_others = true;
};

}  // namespace

std::vector<Best> best(const Pass& pass, const Upward& up, std::size_t k) {
  std::vector<Best> found;
  if (k == 0 || up.total == kForbidden) return found;
  BestFirst search(pass, up);
  search.keep_others = k > 1;
  for (Best next; found.size() < k && search.next(next);) {
    found.push_back(next);
  }
  return found;
}

}  // namespace fgnn::exact
