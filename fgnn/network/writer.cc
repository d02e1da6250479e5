#include "fgnn/network/writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fgnn/core/error.h"

namespace fgnn::network {
namespace {

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 32;
constexpr std::size_t kMostColumns = std::size_t{1} << 20;

}  // namespace

double bound_of(std::size_t fan_in) {
  return 1 / std::sqrt(static_cast<double>(std::max<std::size_t>(1, fan_in)));
}

int Writer::add_register(Place place, std::size_t width) {
  program.registers.push_back({place, width});
  return static_cast<int>(program.registers.size()) - 1;
}

int Writer::parameter(const std::string& name, std::vector<std::int64_t> shape, double bound,
                      double centre, bool trained) {
  const auto [at, fresh] = named_.try_emplace(name, static_cast<int>(program.parameters.size()));
  if (!fresh) {
    if (program.parameters[at->second].shape != shape)
      fail("weights used again have another shape");
    return at->second;
  }
  std::int64_t count = 1;
  for (const std::int64_t n : shape) {
    if (n > 0 && count > kMostNumbers / n) fail("has too many weights: above 2^32 in one matrix");
    count *= n;
  }
  program.parameters.push_back({name, std::move(shape), centre, bound, trained});
  return at->second;
}

void Writer::push_own(OperationPtr operation) {
  operation->check(program);
  program.operations.push_back(std::move(operation));
}

int Writer::linear(const std::string& name, std::vector<int> inputs, std::size_t out, bool bias,
                   Activation activation) {
  std::size_t in = 0;
  for (const int i : inputs) in += width(i);
  const int w = parameter(name + ".weight", {std::int64_t(in), std::int64_t(out)}, bound_of(in));
  const int b = bias ? parameter(name + ".bias", {std::int64_t(out)}, bound_of(in)) : -1;
  const int reg = add_register(place(inputs[0]), out);
  push(Linear{std::move(inputs), w, b, reg, activation});
  return reg;
}

int Writer::add(std::vector<int> inputs) {
  const int output = add_register(place(inputs[0]), width(inputs[0]));
  push(Add{std::move(inputs), output});
  return output;
}

int Writer::concat(std::vector<int> inputs) {
  std::size_t all = 0;
  for (const int i : inputs) all += width(i);
  if (all > kMostColumns) fail("makes rows of more than 2^20 numbers");
  const int output = add_register(place(inputs[0]), all);
  push(Concat{std::move(inputs), output});
  return output;
}

int Writer::columns(int input, std::size_t first, std::size_t count) {
  const int output = add_register(place(input), count);
  push(Columns{input, first, output});
  return output;
}

int Writer::activate(int input, Activation activation) {
  const int output = add_register(place(input), width(input));
  push(Activate{input, output, activation});
  return output;
}

int Writer::gather(Way way, int relation, int source, Place at, Aggregate aggregate) {
  const int output = add_register(at, width(source));
  Message m{way, relation, -1, source, output, -1, -1, {}};
  m.options = {width(source), width(source), Activation::identity, {aggregate}, 1};
  push(m);
  return output;
}

int Writer::spread(int relation, int input) {
  const int output = add_register({Place::edge, relation}, width(input));
  push(Spread{relation, input, output});
  return output;
}

int Writer::by_kind(const std::string& name, Way way, int relation, int source, Place at,
                    std::size_t kinds, std::size_t out, Aggregate aggregate) {
  const std::size_t in = width(source);
  const int q =
      parameter(name, {std::int64_t(kinds), std::int64_t(in), std::int64_t(out)}, bound_of(in));
  const int output = add_register(at, out);
  Message m{way, relation, -1, source, output, q, -1, {}};
  m.options = {in, out, Activation::identity, {aggregate}, 1};
  push(m);
  return output;
}

int Writer::exclude(Way way, int relation, int input, Aggregate aggregate, double temperature) {
  const int output = add_register(place(input), width(input));
  push(Exclude{way, relation, input, output, aggregate, temperature});
  return output;
}

void Writer::fail(const std::string& what, const std::string& hint) const {
  throw Error(ErrorCode::format, subject, what, hint);
}

}  // namespace fgnn::network
