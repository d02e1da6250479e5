#include "fgnn/experiments/matching/evaluate.h"

#include <algorithm>
#include <mutex>
#include <numbers>

#include "fgnn/core/parallel.h"
#include "fgnn/core/timing.h"
#include "fgnn/experiments/matching/random_points.h"

namespace fgnn::matching {
namespace {

constexpr std::size_t kBatch = 25;

double mean(const std::vector<Tally>& tallies, double (Tally::*of)() const) {
  double sum = 0;
  for (const auto& t : tallies) sum += (t.*of)();
  return tallies.empty() ? 0 : sum / static_cast<double>(tallies.size());
}

}  // namespace

void Tally::add(const Tally& other) {
  right += other.right;
  wanted += other.wanted;
  found += other.found;
}

void Tally::add(const PointPair& pair, const Matching& matching) {
  for (std::size_t i = 0; i < pair.partner.size(); ++i) {
    wanted += pair.partner[i] != kNobody;
    found += matching.partner[i] != kNobody;
    right += pair.partner[i] != kNobody && matching.partner[i] == pair.partner[i];
  }
}

double Evaluation::accuracy() const { return mean(tallies, &Tally::accuracy); }
double Evaluation::f1() const { return mean(tallies, &Tally::f1); }

Tally evaluate(const PairMatcher& matcher, const std::function<PointPair(std::uint64_t)>& draw,
               std::size_t count, int threads) {
  const std::size_t batches = (count + kBatch - 1) / kBatch;
  std::vector<Tally> parts(batches);
  parallel_for(threads, batches, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      std::vector<PointPair> pairs;
      for (std::size_t i = b * kBatch; i < std::min(count, (b + 1) * kBatch); ++i) {
        pairs.push_back(draw(i));
      }
      const auto found = matcher(pairs);
      for (std::size_t i = 0; i < pairs.size(); ++i) parts[b].add(pairs[i], found[i]);
    }
  });
  Tally all;
  for (const auto& part : parts) all.add(part);
  return all;
}

Evaluation evaluate(const PairMatcher& matcher, const KeypointData& data, const PairSource& source,
                    const EvaluationOptions& o) {
  Evaluation result;
  const Stopwatch watch;
  Stage stage(o.control, o.label, static_cast<double>(source.classes().size()));
  for (const auto c : source.classes()) {
    o.control.end_if_stopped(o.label, o.stopped);
    result.classes.push_back(data.table().classes[c]);
    const auto draw = [&](std::uint64_t i) {
      Rng random(o.seed, (std::uint64_t{c} << 32) | i);
      PointPair pair = source.draw(c, random, o.features);
      if (o.turned) {
        turn(pair.first.at, random.uniform(0, 2 * std::numbers::pi));
        turn(pair.second.at, random.uniform(0, 2 * std::numbers::pi));
      }
      return pair;
    };
    result.tallies.push_back(evaluate(matcher, draw, o.pairs, o.threads));
    stage.advance();
  }
  result.seconds = watch.seconds();
  return result;
}

}  // namespace fgnn::matching
