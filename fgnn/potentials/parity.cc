#include "fgnn/potentials/parity.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "fgnn/potentials/counting.h"
#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/text.h"

namespace fgnn {
namespace {

// The state is the parity so far; a plain table of (s, x, t), then one of (s, x).
class ParityMachine final : public Machine {
 public:
  ParityMachine(bool odd, std::size_t n) : odd_(odd), n_(n) {}

  std::uint32_t states(std::size_t) const override { return 2; }
  std::size_t before(std::size_t i, std::uint32_t s) const override {
    return i + 1 == n_ ? 8 + 2 * s : 4 * s;
  }
  std::size_t reads(std::size_t i, State x) const override { return i + 1 == n_ ? x : 2 * x; }
  std::size_t after(std::size_t, std::uint32_t t) const override { return t; }

  std::size_t entries() const override { return 12; }
  std::vector<double> numbers() const override {
    std::vector<double> numbers(entries(), kForbidden);
    for (const std::size_t even : {0, 3, 5, 6}) numbers[even] = 0;
    for (const std::size_t end : odd_ ? std::array{9, 10} : std::array{8, 11}) numbers[end] = 0;
    return numbers;
  }

 private:
  bool odd_;
  std::size_t n_;
};

}  // namespace

const Counting::Chosen& Parity::chosen() const {
  static const Chosen one{{1}};
  return one;
}

std::string Parity::misfit(Shape shape) const {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 2) {
      return fmt::format("needs binary variables, position {} has {} states", i, shape[i]);
    }
  }
  return {};
}

double Parity::score(std::span<const State> x) const {
  State sum = 0;
  for (State bit : x) sum ^= bit;
  return (sum & 1u) == static_cast<State>(odd_) ? 0.0 : kForbidden;
}

std::shared_ptr<const LowRank> Parity::low_rank(Shape shape) const {
  const std::vector<double> both{1, 1, 1, -1};  // states x rank: (1, 1) and (1, -1)
  return std::make_shared<const LowRank>(std::vector<State>(shape.begin(), shape.end()),
                                         std::vector<double>{0.5, odd_ ? -0.5 : 0.5},
                                         std::vector<std::vector<double>>(shape.size(), both));
}

bool Parity::equals(const Potential& other) const {
  const auto* parity = dynamic_cast<const Parity*>(&other);
  return parity && parity->odd_ == odd_;
}

std::unique_ptr<Machine> Parity::machine(Shape shape, Reduction) const {
  return std::make_unique<ParityMachine>(odd_, shape.size());
}

std::unique_ptr<Oracle> Parity::oracle(Left left) const { return counting_oracle(*this, left); }

bool Parity::write(TextWriter& text) const {
  text.put(odd_ ? "parity odd" : "parity even");
  return true;
}

PotentialKind Parity::text() {
  const auto read = [](PotentialText& text) {
    const std::string_view word = text.tokens.word("even or odd");
    if (word != "even" && word != "odd") {
      text.tokens.fail("expected even or odd, found " + in_quotes(word));
    }
    return shared(Parity(word == "odd"));
  };
  return {"parity",
          "0 when the sum is even (or odd), forbidden otherwise",
          "1",
          {{"parity", false, read}}};
}

}  // namespace fgnn
