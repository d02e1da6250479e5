#include "fgnn/infer/costs/store.h"

#include <gtest/gtest.h>

#include "fgnn/infer/costs/propagation.h"
#include "tests/infer/costs/random_network.h"

namespace fgnn::costs {
namespace {

std::vector<std::uint32_t> any_rank(const Network& network, Rng& rng) {
  std::vector<std::uint32_t> rank(network.size());
  for (std::uint32_t v = 0; v < rank.size(); ++v) rank[v] = v;
  rng.shuffle(rank);
  return rank;
}

double cost_in(const Store& store, const std::vector<std::uint32_t>& states) {
  double sum = store.bound();
  for (Id v = 0; v < store.size(); ++v) sum += store.unary(v, states[v]);
  for (std::uint32_t f = 0; f < store.functions(); ++f) {
    if (!store.gone(f)) sum += store.at(f, states);
  }
  return sum;
}

bool all_left(const Store& store, const std::vector<std::uint32_t>& states) {
  for (Id v = 0; v < store.size(); ++v) {
    if (!store.has(v, states[v])) return false;
  }
  return true;
}

TEST(CostStore, MovingCostsChangesNoAssignmentsCost) {
  Rng rng(11);
  for (int trial = 0; trial < 200; ++trial) {
    const Network network = network_of(random_loopy_graph(rng), as_it_is());
    Store store(network);
    std::vector<double> amount;
    for (int step = 0; step < 50 && store.functions() > 0; ++step) {
      const auto f = static_cast<std::uint32_t>(rng.below(store.functions()));
      const std::size_t i = rng.below(store.axes(f).size());
      if (step % 3 == 0) {
        store.extend(f, i, rng.uniform());
      } else if (step % 3 == 1) {
        store.least(f, i, Store::kNone, amount);
        store.project(f, i, amount);
      } else {
        store.lift(store.axes(f)[i].variable);
      }
    }
    for_each_joint_state(network, [&](const std::vector<std::uint32_t>& states) {
      if (cost_of(network, states) == kInfinity) {
        EXPECT_EQ(cost_in(store, states), kInfinity);
      } else {
        EXPECT_NEAR(cost_in(store, states), cost_of(network, states), 1e-9);
      }
    });
  }
}

TEST(CostStore, LeastIsTheMinimumOverTheStatesLeft) {
  Rng rng(12);
  int functions = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Network network = network_of(random_loopy_graph(rng), as_it_is());
    Store store(network);
    for (Id v = 0; v < store.size(); ++v) {
      if (store.open(v) && rng.below(3) == 0) store.remove(v, store.left(v)[0]);
    }
    for (std::uint32_t f = 0; f < store.functions(); ++f) {
      ++functions;
      const std::size_t i = rng.below(store.axes(f).size());
      const Id mine = store.axes(f)[i].variable;
      for (const auto with : {Store::kNone, Store::kAll}) {
        std::vector<double> want(network.unary(mine).size(), kInfinity), got;
        for_each_joint_state(network, [&](const std::vector<std::uint32_t>& states) {
          if (!all_left(store, states)) return;
          double cost = store.at(f, states);
          for (const Axis& axis : store.axes(f)) {
            if (with == Store::kAll && axis.variable != mine) {
              cost += store.unary(axis.variable, states[axis.variable]);
            }
          }
          want[states[mine]] = std::min(want[states[mine]], cost);
        });
        store.least(f, i, with, got);
        for (std::size_t k = 0; k < got.size(); ++k) {
          if (want[store.left(mine)[k]] == kInfinity) {
            EXPECT_EQ(got[k], kInfinity);
          } else {
            EXPECT_NEAR(got[k], want[store.left(mine)[k]], 1e-9);
          }
        }
      }
    }
  }
  EXPECT_GT(functions, 200);
}

// The least cost of those below the cutoff is still there, and the bound is none too high.
TEST(CostPropagation, KeepsEveryAssignmentBelowTheCutoff) {
  Rng rng(13);
  int raised = 0, failed = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Network network = network_of(random_loopy_graph(rng), as_it_is());
    Store store(network);
    for (Id v = 0; v < store.size(); ++v) {
      for (std::size_t k = store.left(v).size(); k-- > 0;) {
        if (store.unary(v, store.left(v)[k]) == kInfinity) store.remove(v, store.left(v)[k]);
      }
    }
    double least = kInfinity;
    for_each_joint_state(
        network, [&](const auto& states) { least = std::min(least, cost_of(network, states)); });
    const double cutoff = trial % 3 == 0 ? kInfinity : least + rng.uniform(-0.5, 2);
    const double before = store.bound();
    Propagation propagation(store, any_rank(network, rng), Deadline());
    propagation.wake_all();
    const bool alive = propagation.run(cutoff, 1e-6);
    if (!alive) {
      ++failed;
      EXPECT_GE(least, cutoff - 1e-9);
      continue;
    }
    raised += store.bound() > before + 1e-6;
    if (least < cutoff - 1e-9) {
      EXPECT_LE(store.bound(), least + 1e-9);
    }
    for_each_joint_state(network, [&](const std::vector<std::uint32_t>& states) {
      const double cost = cost_of(network, states);
      if (cost >= cutoff - 1e-9) return;
      for (Id v = 0; v < store.size(); ++v) {
        // An eliminated variable, or a decided one that nobody else minds, has its best state only.
        if (store.open(v)) {
          EXPECT_TRUE(store.has(v, states[v]));
        }
      }
    });
  }
  EXPECT_GT(raised, 100);
  EXPECT_GT(failed, 20);
}

TEST(CostStore, UndoRestoresEverythingThatPropagationChanged) {
  Rng rng(14);
  for (int trial = 0; trial < 200; ++trial) {
    const Network network = network_of(random_loopy_graph(rng), as_it_is());
    if (network.functions().empty()) continue;
    Store store(network);
    for (Id v = 0; v < store.size(); ++v) {
      for (std::size_t k = store.left(v).size(); k-- > 0;) {
        if (store.unary(v, store.left(v)[k]) == kInfinity) store.remove(v, store.left(v)[k]);
      }
    }
    const std::size_t functions = store.functions();
    std::vector<std::vector<double>> unary(store.size());
    for (Id v = 0; v < store.size(); ++v) {
      for (std::uint32_t x = 0; x < store.states(v); ++x) unary[v].push_back(store.unary(v, x));
    }
    const double bound = store.bound();
    Propagation propagation(store, any_rank(network, rng), Deadline());
    const Store::Mark mark = store.mark();
    propagation.wake_all();
    if (propagation.run(kInfinity, 1e-6)) {
      for (Id v = 0; v < store.size(); ++v) {
        if (!store.open(v)) continue;
        const Store::Mark inner = store.mark();
        propagation.assign(v, store.left(v).front());
        propagation.run(kInfinity, 1e-6);
        store.undo(inner);
      }
    }
    store.undo(mark);
    EXPECT_EQ(store.functions(), functions);
    EXPECT_EQ(store.bound(), bound);
    for (Id v = 0; v < store.size(); ++v) {
      for (std::uint32_t x = 0; x < store.states(v); ++x) EXPECT_EQ(store.unary(v, x), unary[v][x]);
    }
    for_each_joint_state(network, [&](const std::vector<std::uint32_t>& states) {
      if (cost_of(network, states) == kInfinity) return;
      EXPECT_NEAR(cost_in(store, states), cost_of(network, states), 1e-9);
      EXPECT_TRUE(all_left(store, states));
    });
  }
}

}  // namespace
}  // namespace fgnn::costs
