// Work that ranks share out: each does a part of it, all have the result of one process.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "fgnn/cluster/group.h"
#include "fgnn/codes/construct.h"
#include "fgnn/codes/decoders.h"
#include "fgnn/codes/simulate.h"
#include "fgnn/experiments/synthetic/contest.h"
#include "fgnn/experiments/synthetic/entrants.h"
#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/infer/compare.h"
#include "fgnn/network/description.h"

namespace fgnn {
namespace {

using cluster::world;

// Every rank has done a part, and all parts are `whole`.
void expect_parts_of(std::uint64_t whole, std::uint64_t mine) {
  std::uint64_t sum = mine;
  world().sum(std::span(&sum, 1));
  EXPECT_EQ(sum, whole);
  EXPECT_GE(mine, whole / world().size() / 2);
  EXPECT_LT(mine, whole);
}

class CountingDecoder : public codes::Decoder {
 public:
  CountingDecoder(std::unique_ptr<Decoder> inner, std::atomic<std::uint64_t>& words)
      : inner_(std::move(inner)), words_(words) {}
  std::uint32_t length() const override { return inner_->length(); }
  codes::LlrModel llr() const override { return inner_->llr(); }
  void decode(const codes::Frames& frames, codes::Decoded& out) const override {
    words_ += frames.count;
    inner_->decode(frames, out);
  }

 private:
  std::unique_ptr<Decoder> inner_;
  std::atomic<std::uint64_t>& words_;
};

TEST(SharedWork, WordsOfASimulation) {
  const codes::Code code("peg", codes::progressive_edge_growth({.length = 96, .checks = 48}));
  const auto count = [&](cluster::Group& group, std::atomic<std::uint64_t>& words) {
    std::vector<std::unique_ptr<codes::Decoder>> decoders;
    decoders.push_back(
        std::make_unique<CountingDecoder>(codes::make_decoder(code.checks, "min-sum"), words));
    std::vector<codes::ErrorCounts> counts(1);
    codes::simulate(code, {.sigma = 0.7}, decoders,
                    {.max_frames = 7001, .target_errors = 1000000, .threads = 2}, counts, group);
    return counts[0];
  };
  std::atomic<std::uint64_t> all = 0, part = 0;
  const auto wanted = count(cluster::alone(), all), shared = count(world(), part);
  EXPECT_EQ(all, 7001u);
  expect_parts_of(7001, part);
  EXPECT_EQ(shared.frames, wanted.frames);
  EXPECT_EQ(shared.bit_errors, wanted.bit_errors);
  EXPECT_EQ(shared.squared_bit_errors, wanted.squared_bit_errors);
  EXPECT_EQ(shared.frame_errors, wanted.frame_errors);
  EXPECT_EQ(shared.iterations, wanted.iterations);
  EXPECT_GT(wanted.bit_errors, 0u);
}

class CountingTask : public synthetic::SyntheticTask {
 public:
  CountingTask() : SyntheticTask(synthetic::SyntheticTaskOptions{}) {}
  tasks::Labelled instance(tasks::Stream stream, std::uint64_t index) const override {
    ++made;
    return SyntheticTask::instance(stream, index);
  }
  mutable std::atomic<std::uint64_t> made = 0;
};

TEST(SharedWork, InstancesOfAnEvaluation) {
  const CountingTask task;
  network::Description description = network::describe("fgnn-small");
  description.schema = task.schema();
  const network::Model model(std::move(description), 1);
  const auto wanted = tasks::evaluate(model, task, tasks::Stream::test, 31, 4, 1);
  EXPECT_EQ(task.made, 31u);
  task.made = 0;
  const auto shared = tasks::evaluate(model, task, tasks::Stream::test, 31, 4, 1, world());
  expect_parts_of(31, task.made);
  EXPECT_EQ(shared.rows, wanted.rows);
  EXPECT_EQ(shared.loss, wanted.loss);
  EXPECT_EQ(shared.correct, wanted.correct);
  EXPECT_EQ(shared.standard_error(), wanted.standard_error());
}

TEST(SharedWork, ProblemsOfAContest) {
  std::atomic<std::uint64_t> made = 0;
  const synthetic::Problems problems = [&](std::uint64_t i) {
    ++made;
    return synthetic::synthetic_instance({}, i);
  };
  const std::vector<synthetic::Entrant> entrants{synthetic::classical("AD3", "ad3:rounding=argmax"),
                                                 synthetic::exact_search()};
  synthetic::ContestOptions options{.count = 13, .batch = 2};
  const auto wanted = synthetic::contest(problems, entrants, options);
  EXPECT_EQ(made, 13u);
  made = 0;
  options.group = &world();
  const auto shared = synthetic::contest(problems, entrants, options);
  expect_parts_of(13, made);
  for (std::size_t e = 0; e < entrants.size(); ++e) {
    EXPECT_EQ(shared[e].agreement.correct, wanted[e].agreement.correct);
    EXPECT_EQ(shared[e].exact.value(), wanted[e].exact.value());
    EXPECT_EQ(shared[e].score_gap.value(), wanted[e].score_gap.value());
    EXPECT_EQ(shared[e].left_open.error(), wanted[e].left_open.error());
  }
}

TEST(SharedWork, GraphsOfAComparison) {
  const auto variants = parse_variants(Query::map, "max-product,ad3,exact", {});
  Comparison all(variants), shared(variants);
  for (int i = 0; i < 10; ++i) all.add(synthetic::synthetic_instance({}, i).graph());
  for (const std::uint64_t begin : {0, 5}) {  // joined twice
    const cluster::Share mine = cluster::share(5, world());
    for (std::uint64_t i = mine.begin; i < mine.end; ++i) {
      shared.add(synthetic::synthetic_instance({}, begin + i).graph());
    }
    shared.join(world());
  }
  const auto wanted = all.rows(), rows = shared.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].instances, 10u);
    EXPECT_EQ(rows[i].agreement, wanted[i].agreement);
    EXPECT_EQ(rows[i].agreement_error, wanted[i].agreement_error);
    EXPECT_EQ(rows[i].score_gap, wanted[i].score_gap);
    EXPECT_EQ(rows[i].bound, wanted[i].bound);
    EXPECT_EQ(rows[i].iterations, wanted[i].iterations);
  }
}

}  // namespace
}  // namespace fgnn
