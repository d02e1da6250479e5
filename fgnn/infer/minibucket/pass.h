// Elimination by mini-buckets, with numbers.
//
// Each mini-bucket r of a variable joins its functions, f_r, and sends the power sum of its weight
//   m_r = ( sum_x f_r(x, .)^(1/w_r) )^(w_r),        w = 0: the maximum.
// By Hölder's inequality sum_x prod_r f_r <= prod_r m_r for weights that are not negative and add
// up to one (Liu and Ihler 2011), and >= where one is positive, the others negative, and they add
// up to one; a negative weight towards 0 is the minimum. Maximising, max_x prod_r f_r <= prod_r
// max_x f_r.
//
// Cost shifting: what the parts of a variable say of the axes that they share is levelled first,
//   f_r <- f_r (g / g_r)^(w_r),     g_r = sum over the other axes of f_r^(1/w_r),  g = prod_r
//   g_r^(w_r)
// (for maxima: g_r^(1/R) shares), which changes their product by nothing and the bound for the
// better in practice.
//
// A lower bound may also keep one state of the variable alone (`held`): parts of a sum are not
// negative. That is done where a minimum would be zero.
#pragma once

#include <span>
#include <vector>

#include "fgnn/core/budget.h"
#include "fgnn/infer/minibucket/model.h"
#include "fgnn/infer/minibucket/scheme.h"

namespace fgnn::minibucket {

enum class Bound {
  max,    // of the best score, from above
  above,  // of ln Z
  below,
};

struct PassOptions {
  Bound bound = Bound::max;
  bool weighted = true;  // equal weights for sums; otherwise one sum and maxima or minima
  bool shift = true;
  std::vector<State> held = {};  // below: by place, an allowed state or kNone; may be empty
  bool always_hold = false;      // below: hold wherever a variable is split
};

// The functions of a model in places, tables made.
std::vector<Function> functions(const Restated& model, const Scheme& scheme, Budget& budget);

// Bytes of the functions and of the messages of one pass with its scratch memory.
std::uint64_t function_bytes(const Restated& model, const Scheme& scheme);
std::uint64_t pass_bytes(const Scheme& scheme);

class Pass {
 public:
  // Throws Error(time_limit) once the deadline of the budget has passed.
  Pass(const Scheme& scheme, const std::vector<Function>& functions, PassOptions options,
       const Budget& budget);

  double total() const { return total_; }  // of the messages that are numbers
  // Levelling under negative weights can drive parts of a variable apart, further at every bucket:
  // then the total is what is left of much larger numbers, and mostly rounding.
  bool reliable() const { return largest_ <= 10 * (1 + scale_); }
  const std::vector<double>& message(std::uint32_t part) const { return messages_[part]; }
  double weight(std::uint32_t part) const { return weights_[part]; }

  // Joined functions and messages of a part, levelled.
  void join(std::uint32_t part, std::vector<double>& joint) const;

  // The derivatives of an upper bound by the functions: pseudo-marginals per place and state, flat.
  std::vector<double> marginals(const Budget& budget) const;

 private:
  void eliminate(Place p, const Budget& budget);
  void weigh(Place p);
  void level(Place p, const Budget& budget);
  void level_shared(const std::vector<Place>& shared, Place p);
  std::vector<double> profile(std::uint32_t part, const std::vector<double>& joint,
                              const std::vector<Place>& shared) const;
  std::vector<double> reduced(std::uint32_t part, const std::vector<double>& joint) const;
  bool must_hold(Place p, const std::vector<std::vector<double>>& sent) const;

  const Scheme& scheme_;
  const std::vector<Function>& functions_;
  PassOptions options_;
  std::vector<std::vector<double>> messages_;
  std::vector<Function> shifts_;             // by part; empty where nothing was shifted
  std::vector<double> weights_;              // by part
  std::vector<std::vector<double>> joints_;  // scratch: of the parts of one place
  double total_ = 0;
  double scale_ = 0;    // the sum of what the functions can add
  double largest_ = 0;  // of all messages
};

}  // namespace fgnn::minibucket
