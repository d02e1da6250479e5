#include "fgnn/infer/exact/passes.h"

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

Arena allocate(std::size_t n, bool zeroed) {
  const std::size_t entries = std::max<std::size_t>(n, 1);
  void* memory =
      zeroed ? std::calloc(entries, sizeof(double)) : std::malloc(entries * sizeof(double));
  if (memory == nullptr) throw std::bad_alloc();
  return Arena(static_cast<double*>(memory));
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

}  // namespace fgnn::exact
