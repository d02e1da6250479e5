#include "fgnn/infer/exact/passes.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <new>
#include <utility>

#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/infer/exact/joiner.h"
#include "fgnn/infer/exact/kernels.h"

namespace fgnn::exact {
namespace {

constexpr std::size_t kSplitFrom = 1 << 16;  // joint states from which a bucket is worth splitting
// Time of a bucket beside that of its joint states, in joint states.
constexpr std::size_t kPerBucket = 1024;
constexpr std::size_t kStoredFrom = 1 << 14;  // larger states x block are computed twice, not kept

template <class Value>
std::unique_ptr<Value[], Free> allocate(std::size_t n) {
  const std::size_t bytes = std::max<std::size_t>(n, 1) * sizeof(Value);
  void* memory = nullptr;
#ifdef __linux__
  // Large pages: most of the time of a pass over new memory is the system's, page by page.
  constexpr std::size_t kPage = std::size_t{1} << 21;
  if (bytes >= 2 * kPage && posix_memalign(&memory, kPage, bytes) == 0) {
    madvise(memory, bytes / kPage * kPage, MADV_HUGEPAGE);
  }
#endif
  if (memory == nullptr) memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return std::unique_ptr<Value[], Free>(static_cast<Value*>(memory));
}

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

// What one block of a bucket is reduced with.
struct Reducer {
  const Bucket& bucket;
  const Joiner& joiner;
  Clock& clock;
  std::vector<double> buffer;
  std::vector<char> alive;  // whether anything is joined, by state

  // The best states are written to `choices`, unless that is null.
  void maximum(const Cursor& cursor, double* out, std::uint8_t* choices);
  void sum(const Cursor& cursor, double* out);
};

void choose(const double* in, double* out, std::uint8_t* choices, State x, const Bucket& bucket) {
  if (choice_width(bucket.states) == 1) {
    kernels().maximum_choice(in, out, choices, static_cast<std::uint8_t>(x), bucket.block);
    return;
  }
  auto* wide = reinterpret_cast<State*>(choices);
  for (std::size_t i = 0; i < bucket.block; ++i) {
    if (in[i] > out[i]) wide[i] = x;
    out[i] = std::max(out[i], in[i]);
  }
}

void Reducer::maximum(const Cursor& cursor, double* out, std::uint8_t* choices) {
  const std::size_t n = bucket.block;
  buffer.resize(n);
  if (!joiner.join(cursor, 0, out)) std::fill_n(out, n, kForbidden);
  if (choices != nullptr) std::fill_n(choices, n * choice_width(bucket.states), std::uint8_t{0});
  for (State x = 1; x < bucket.states; ++x) {
    clock.spend(n);
    if (!joiner.join(cursor, x, buffer.data())) continue;
    if (choices != nullptr) {
      choose(buffer.data(), out, choices, x, bucket);
    } else {
      kernels().maximum(buffer.data(), out, n);
    }
  }
}

void Reducer::sum(const Cursor& cursor, double* out) {
  const Kernels& kernel = kernels();
  const std::size_t n = bucket.block;
  const bool keep = n * bucket.states <= std::max(kStoredFrom, n);
  buffer.resize(n + (keep ? n * bucket.states : n));
  alive.assign(bucket.states, 0);
  double* sum = buffer.data();
  const auto joined = [&](State x) { return sum + n + (keep ? n * x : 0); };
  std::fill_n(out, n, kForbidden);
  bool any = false;
  for (State x = 0; x < bucket.states; ++x) {
    clock.spend(4 * n);
    alive[x] = joiner.join(cursor, x, joined(x));
    if (!alive[x]) continue;
    any = true;
    kernel.maximum(joined(x), out, n);
  }
  if (!any) return;
  std::fill_n(sum, n, 0.0);
  for (State x = 0; x < bucket.states; ++x) {
    if (!alive[x]) continue;
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
    double* out = below + plan.buckets[input.index].live + cursor.at(k) + joiner.of_state(input, x);
    switch (input.access) {
      case Input::Access::constant:
        *out += sum;
        break;
      case Input::Access::contiguous:
        kernels().add(posterior.data(), out, bucket.block);
        break;
      default: {
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

Upward upward(const Pass& pass, Semiring semiring, Upward before) {
  const Buckets& plan = pass.plan;
  Upward up = std::move(before);
  up.total = 0;
  if (!up.messages) {
    up.messages = allocate<double>(pass.keep ? plan.kept_entries : plan.live_entries);
  }
  const bool choosing = !pass.keep && semiring == Semiring::max;
  if (choosing && !up.choices) up.choices = allocate<std::uint8_t>(plan.choice_bytes);
  Stage stage(pass.control, "eliminating", total_work(plan));
  Clock between(pass);
  for (const std::uint32_t at : plan.schedule) {
    between.spend(kPerBucket);
    const Bucket& bucket = plan.buckets[at];
    Joiner joiner(pass, bucket, up.messages.get());
    joiner.prepare();
    double* message = up.messages.get() + (pass.keep ? bucket.kept : bucket.live);
    std::uint8_t* choices = choosing ? up.choices.get() + bucket.choices : nullptr;
    const std::size_t width = choice_width(bucket.states);
    const auto pieces = cut(bucket, pass.threads, [](std::size_t) { return true; });
    const auto work = [&](std::size_t begin, std::size_t end) {
      Clock clock(pass);
      Reducer reducer{bucket, joiner, clock, {}, {}};
      for (std::size_t p = begin; p < end; ++p) {
        Cursor cursor(plan, bucket, pieces[p]);
        do {
          clock.spend(kPerBlock);
          double* out = message + cursor.entry();
          if (semiring == Semiring::sum) {
            reducer.sum(cursor, out);
          } else {
            reducer.maximum(cursor, out, choosing ? choices + width * cursor.entry() : nullptr);
          }
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
  for (std::uint32_t root : plan.roots) {
    const Bucket& bucket = plan.buckets[root];
    up.total += up.messages[pass.keep ? bucket.kept : bucket.live];
  }
  return up;
}

Best best_choice(const Pass& pass, const Upward& up) {
  const Buckets& plan = pass.plan;
  Best best{std::vector<State>(plan.variables, 0), up.total};
  Clock clock(pass);
  for (std::size_t b = plan.buckets.size(); b-- > 0;) {
    const Bucket& bucket = plan.buckets[b];
    clock.spend(bucket.separator.size());
    std::size_t entry = 0;
    for (std::size_t i = 0; i < bucket.separator.size(); ++i) {
      entry = entry * bucket.sizes[i] + best.states[bucket.separator[i]];
    }
    const std::uint8_t* choices = up.choices.get() + bucket.choices;
    best.states[bucket.variable] = choice_width(bucket.states) == 1
                                       ? choices[entry]
                                       : reinterpret_cast<const State*>(choices)[entry];
  }
  return best;
}

std::vector<std::vector<double>> backward(const Pass& pass, Upward& up) {
  const Buckets& plan = pass.plan;
  // Those of separators, alive as the messages are when nothing is kept, the other way round.
  if (!up.posteriors) up.posteriors = allocate<double>(plan.live_entries);
  const Arena& posterior = up.posteriors;
  std::vector<std::vector<double>> result(plan.buckets.size());
  for (std::uint32_t root : plan.roots) posterior[plan.buckets[root].live] = 1;
  Stage stage(pass.control, "marginals", total_work(plan));
  Clock between(pass);
  for (std::size_t i = plan.schedule.size(); i-- > 0;) {
    between.spend(kPerBucket);
    const std::uint32_t b = plan.schedule[i];
    const Bucket& bucket = plan.buckets[b];
    for (const Input& input : bucket.inputs) {
      if (!input.message) continue;
      const Bucket& below = plan.buckets[input.index];
      std::fill_n(posterior.get() + below.live, below.entries, 0.0);
    }
    Joiner joiner(pass, bucket, up.messages.get());
    joiner.prepare();
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
          const double* message = up.messages.get() + bucket.kept + cursor.entry();
          const double* weight = posterior.get() + bucket.live + cursor.entry();
          for (State x = 0; x < bucket.states; ++x) {
            clock.spend(8 * bucket.block);
            if (!joiner.join(cursor, x, buffer.data())) continue;
            const double sum = kernels().posterior(buffer.data(), message, weight, bucket.block);
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

}  // namespace fgnn::exact
