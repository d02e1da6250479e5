// The kernels on every instruction set that this processor has and fgnn is compiled for: others
// than the best are used on other machines only.
#include "tests/reference/instruction_sets.h"

#include <gtest/gtest.h>

#include <functional>

#include "fgnn/kernels/adam.h"
#include "fgnn/kernels/gemm.h"
#include "fgnn/kernels/message.h"
#include "fgnn/kernels/norm.h"
#include "tests/reference/message.h"
#include "tests/reference/numbers.h"

namespace fgnn::kernels {
namespace {

using testing::normal_numbers;
using testing::same_numbers;

// Calls `numbers` on each instruction set and compares what it returns.
void expect_agreement(const std::function<std::vector<double>()>& numbers, double tolerance) {
  const auto want = numbers();
  testing::on_every_instruction_set([&](const std::string& name) {
    EXPECT_TRUE(same_numbers(numbers(), want, tolerance)) << name;
  });
}

template <class T>
void append(std::vector<double>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

template <class T>
std::vector<double> products() {
  Rng rng(1);
  std::vector<double> all;
  for (const std::size_t m : {1u, 5u, 13u, 40u}) {
    for (const std::size_t n : {1u, 4u, 7u, 16u, 35u, 64u, 150u}) {
      const auto a = normal_numbers<T>(rng, m * 20), b = normal_numbers<T>(rng, 20 * n);
      auto c = normal_numbers<T>(rng, m * n);
      gemm<T>(m, n, 20, a.data(), 20, 1, b.data(), n, c.data(), n, false);
      append(all, c);
      gemm<T>(m, n, 20, a.data(), 1, m, b.data(), n, c.data(), n, true);
      append(all, c);
    }
  }
  return all;
}

TEST(InstructionSets, AgreeOnProducts) {
  expect_agreement(products<float>, 1e-5);
  expect_agreement(products<double>, 1e-13);
}

template <class T>
std::vector<double> messages() {
  Rng rng(2);
  std::vector<double> all;
  for (const std::size_t width : {1u, 3u, 5u, 8u, 19u, 40u}) {
    const auto edges = testing::random_edges(rng, 12, 9, 3, 50);
    const Incidence in = edges.incidence(16);
    const std::size_t H = width + 1;
    const auto target = normal_numbers<T>(rng, 2 * 12 * H),
               source = normal_numbers<T>(rng, 2 * 9 * H),
               matrices = normal_numbers<T>(rng, 3 * H * width, 0.5);
    const MessageOptions options{
        H, width, Activation::relu, {Aggregate::max, Aggregate::sum, Aggregate::mean}, 1};
    MessageInput<T> input;
    input.edges = &in;
    input.copies = 2;
    input.target = target.data();
    input.source = source.data();
    input.matrices = matrices.data();
    std::vector<T> out(2 * 12 * options.columns()), dt(target), ds(source), dm(matrices);
    const auto weight = normal_numbers<T>(rng, out.size());
    ArgMax where;
    message_forward(input, options, out.data(), &where, 1);
    std::vector<T> transposed(matrices.size());
    message_transpose<T>(matrices.data(), matrices.size() / (options.hidden * options.out), false,
                         options, transposed.data());
    message_backward<T>(input, transposed.data(), options, out.data(), where, weight.data(),
                        {dt.data(), ds.data(), dm.data(), nullptr}, 1);
    for (const auto* x : {&out, &dt, &ds, &dm}) append(all, *x);
  }
  return all;
}

TEST(InstructionSets, AgreeOnMessages) {
  expect_agreement(messages<float>, 1e-4);
  expect_agreement(messages<double>, 1e-12);
}

std::vector<double> norms_and_steps() {
  Rng rng(3);
  std::vector<double> all;
  for (const std::size_t columns : {1u, 6u, 21u, 64u}) {
    const auto x = normal_numbers<float>(rng, 30 * columns),
               scale = normal_numbers<float>(rng, columns),
               shift = normal_numbers<float>(rng, columns), weight = x;
    const Normalisation<float> n{x.data(),     30,      columns,         scale.data(),
                                 shift.data(), nullptr, Activation::tanh};
    const std::size_t offset[] = {0, 30};
    const double counts[] = {30};
    const auto moments = segment_moments(n, {offset}, 1);
    std::vector<float> out(x), dx(x), m(x.size()), v(x.size());
    normalise_columns(n, {offset}, moments, out.data(), 1);
    const auto sums = normalise_columns_sums(n, {offset}, moments, weight.data(), dx.data(), 1);
    normalise_columns_backward<float>(n, {offset}, moments, sums, counts, dx.data(), 1);
    append(all, out);
    append(all, sums);
    append(all, dx);
    adam_step(out.data(), dx.data(), m.data(), v.data(), out.size(), 0.01, 1, 1, {}, 1);
    append(all, m);
    append(all, v);
    adam_step(out.data(), x.data(), m.data(), v.data(), out.size(), 0.01, 1, 2, {}, 1);
    append(all, out);
  }
  return all;
}

TEST(InstructionSets, AgreeOnNormsAndSteps) { expect_agreement(norms_and_steps, 1e-3); }

}  // namespace
}  // namespace fgnn::kernels
