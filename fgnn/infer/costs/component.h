// A component of a network, searched on its own while the others stay as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fgnn/infer/costs/search.h"
#include "fgnn/infer/costs/store.h"

namespace fgnn::costs {

class Component {
 public:
  // The network must outlive this.
  Component(const Network& network, const std::vector<Id>& variables);

  // Sweeps until a pass gains less than a share of what is between the bound and the cost that its
  // variables have in `states`. False: nothing is allowed.
  bool sweep(const std::vector<std::uint32_t>& rank, std::size_t passes, double share,
             const std::vector<std::uint32_t>& states, const Deadline& deadline);

  // What its variables cost in a joint state of the network.
  double cost(const std::vector<std::uint32_t>& states) const;
  // Takes its variables' states over.
  void copy(const std::vector<std::uint32_t>& from, std::vector<std::uint32_t>& to) const;

  Store& store() { return *store_; }
  double bound() const { return bound_; }
  void raise(double bound) { bound_ = std::max(bound_, bound); }

 private:
  const Network& network_;
  std::vector<Id> variables_;
  std::vector<const Function*> functions_;
  std::unique_ptr<Store> store_;
  double bound_ = 0;
};

// States that are forbidden by themselves. False: a variable has no other.
bool remove_forbidden(Store& store);

}  // namespace fgnn::costs
