// Soft arc consistency of a node of the search: costs are moved until the bound stands still or
// nothing below the cutoff is left.
//
//  - arc consistency: every function gives what it costs each state of a variable, whatever the
//    others do, to that variable;
//  - directed: it gives what it costs together with the unary costs of its variables to the one
//  that
//    comes last in an elimination order, towards which all costs flow;
//  - existential: where a variable's states all cost something with all its functions and their
//    other variables, that is moved to it and to the bound.
//  - variables with up to three neighbours left are eliminated.
// States that cannot be part of anything below the cutoff are removed (Larrosa, de Givry et al.
// 2005; EDAC). Functions are asked again only when something about them has changed.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/infer/costs/store.h"

namespace fgnn::costs {

class Propagation {
 public:
  // rank: by variable, its place in the elimination order.
  // After the deadline, which must outlive this, run() does nothing more.
  Propagation(Store& store, std::vector<std::uint32_t> rank, const Deadline& deadline);

  // All functions and variables are to be looked at.
  void wake_all();
  // One state taken or ruled out: to be followed by run().
  void assign(Id v, std::uint32_t x);
  void remove(Id v, std::uint32_t x);

  // False when nothing that costs less than the cutoff is left. `least` is the smallest step that
  // is worth another round.
  bool run(double cutoff, double least);

  // How often a function was the one at which run() failed (dom/wdeg, Boussemart et al. 2004).
  double weight(std::uint32_t f) const { return f < weight_.size() ? weight_[f] : 1; }

 private:
  struct Ids {  // a set with a list
    std::vector<std::uint32_t> list;
    std::vector<char> in;
    void add(std::uint32_t i) {
      if (i >= in.size()) in.resize(i + 1, 0);
      if (in[i]) return;
      in[i] = 1;
      list.push_back(i);
    }
    std::uint32_t take() {
      const std::uint32_t i = list.back();
      list.pop_back();
      in[i] = 0;
      return i;
    }
    void clear() {
      for (std::uint32_t i : list) in[i] = 0;
      list.clear();
    }
  };

  bool lift(Id v);
  bool sift();  // removes states that cost too much
  bool lose(Id v, std::uint32_t x, std::uint32_t except);
  bool raise(std::uint32_t f, std::size_t i, Store::AxisSet with, bool& raised);
  bool simple(std::uint32_t f, std::size_t except);
  bool full(std::uint32_t f, std::size_t i);
  bool direct(Id v);
  void share_out(Id v);
  bool existential(Id v);
  bool eliminate(Id v);
  void decided(Id v);
  bool fail();
  void clear();
  void wake_functions(Id v, std::uint32_t except);
  void woken(Id v);  // its unary costs rose

  Store& store_;
  std::vector<std::uint32_t> rank_;
  std::vector<Id> by_rank_;
  std::vector<Id> all_;  // variables with states
  Ids functions_, existential_, narrow_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> direct_;
  std::vector<char> queued_;
  std::vector<double> weight_;
  std::uint32_t last_ = 0;  // the function that was looked at last
  double unit_ = 1;
  double cutoff_ = kInfinity, least_ = 0, sifted_at_ = 0;
  TimeCheck time_;
  std::vector<Store::AxisSet> own_;  // per place of a star: the axes whose unary costs it brings
  std::vector<char> met_;
  std::vector<Place> star_places_;
  std::vector<Id> around_;
  std::vector<double> amount_, star_, sum_;  // scratch
};

}  // namespace fgnn::costs
