// Channels, decoders on batches of words, and error rates.
#include "fgnn/codes/decoders.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "fgnn/codes/simulate.h"
#include "fgnn/core/error.h"
#include "fgnn/core/parallel.h"
#include "fgnn/io/json_text.h"
#include "fgnn/report/ber_row.h"
#include "python/binding/arrays.h"
#include "python/binding/codes.h"
#include "python/binding/running.h"

namespace fgnn::python {
namespace {

using codes::Channel;

Channel make_channel(const std::string& kind, double sigma, double burst_sigma,
                     double burst_probability, double flip) {
  const Channel channel{.kind = from_word<codes::ChannelKind>(kind),
                        .sigma = sigma,
                        .burst_sigma = burst_sigma,
                        .burst_probability = burst_probability,
                        .flip = flip};
  channel.validate();
  return channel;
}

template <class Array>
Lengths shape_of(const Array& array) {
  return {array.shape(), array.shape() + array.ndim()};
}

py::array transmit(const Channel& channel, const Bytes& words, std::uint64_t seed,
                   std::uint64_t first) {
  const std::size_t n =
      words.ndim() > 0 ? static_cast<std::size_t>(words.shape(words.ndim() - 1)) : 0;
  std::vector<float> observed(static_cast<std::size_t>(words.size()));
  for (std::size_t f = 0; n > 0 && f < observed.size() / n; ++f) {
    codes::transmit(channel, {seed, 0, first + f}, {words.data() + f * n, n},
                    std::span(observed).subspan(f * n, n));
  }
  return given_away(std::move(observed), shape_of(words));
}

py::array ratios(const Channel& channel, const Floats& observed, const std::string& model) {
  std::vector<float> llr(static_cast<std::size_t>(observed.size()));
  codes::log_ratios(channel, from_word<codes::LlrModel>(model),
                    {observed.data(), static_cast<std::size_t>(observed.size())}, llr);
  return given_away(std::move(llr), shape_of(observed));
}

// A decoder of a code, by its name.
struct NamedDecoder {
  SharedCode code;
  std::string name;
  std::unique_ptr<codes::Decoder> decoder;
};

std::shared_ptr<NamedDecoder> make_named(const SharedCode& code, const std::string& name) {
  return std::make_shared<NamedDecoder>(
      NamedDecoder{code, name, codes::make_decoder(code->checks, name)});
}

// Some words, whose answers go to their places in `out`.
void decode_part(const NamedDecoder& d, const codes::Frames& all, std::size_t begin,
                 std::size_t end, codes::Decoded& out) {
  const std::size_t n = d.decoder->length(), count = end - begin;
  codes::Decoded part;
  part.wants_soft = out.wants_soft;
  const auto share = [&](std::span<const float> of) {
    return of.empty() ? of : of.subspan(begin * n, count * n);
  };
  d.decoder->decode({count, share(all.llr), share(all.observed), all.channel}, part);
  const auto at = static_cast<std::ptrdiff_t>(begin);
  const auto bit = static_cast<std::ptrdiff_t>(begin * n);
  std::ranges::copy(part.bits, out.bits.begin() + bit);
  std::ranges::copy(part.iterations, out.iterations.begin() + at);
  std::ranges::copy(part.valid, out.valid.begin() + at);
  if (out.wants_soft && part.soft.size() == part.bits.size()) {
    std::ranges::copy(part.soft, out.soft.begin() + bit);
  }
}

// Either may be None; what was observed needs the channel.
py::tuple decode(const NamedDecoder& d, const py::object& given_llr, const py::object& given,
                 const std::optional<Channel>& channel, bool soft, int threads) {
  constexpr std::size_t kWords = 64;  // that a thread takes at a time, a multiple of all lanes
  const bool by_ratios = given.is_none();
  const auto array = (by_ratios ? given_llr : given).cast<Floats>();
  const std::size_t n = d.decoder->length();
  if (array.ndim() == 0 || static_cast<std::size_t>(array.shape(array.ndim() - 1)) != n) {
    throw Error(ErrorCode::usage, "decode", fmt::format("words must have {} numbers each", n));
  }
  if (channel) d.decoder->check(*channel, d.code->punctured.size());
  const std::span<const float> numbers(array.data(), static_cast<std::size_t>(array.size()));
  std::vector<float> observed, llr(numbers.begin(), numbers.end());
  if (!by_ratios) {
    observed = llr;
    codes::log_ratios(*channel, d.decoder->llr(), observed, llr);
  }
  for (std::size_t begin = 0; begin < llr.size(); begin += n) {
    for (const std::uint32_t c : d.code->punctured) {
      llr[begin + c] = 0;
      if (!by_ratios) observed[begin + c] = 0;
    }
  }
  codes::Decoded out;
  out.wants_soft = soft;
  const std::size_t count = llr.size() / n;
  out.resize(count, n);
  run(py::none(), [&](const Control& control) {
    const codes::Frames frames{count, llr, observed, channel.value_or(Channel())};
    parallel_tasks(threads > 0 ? threads : default_threads(), (count + kWords - 1) / kWords,
                   [&](std::size_t i) {
                     if (control.stop.stop_requested()) return;
                     decode_part(d, frames, i * kWords, std::min(count, (i + 1) * kWords), out);
                   });
    return true;
  });
  Lengths outer(array.shape(), array.shape() + array.ndim() - 1);
  const py::object iterations = given_away(std::move(out.iterations));
  const py::object valid = given_away(std::move(out.valid));
  return py::make_tuple(
      given_away(std::move(out.bits), shape_of(array)), iterations.attr("reshape")(outer),
      valid.attr("astype")("bool").attr("reshape")(outer),
      soft ? py::object(given_away(std::move(out.soft), shape_of(array))) : py::object(py::none()));
}

// Rows of JSON, as `fgnn ber --json` has them.
std::vector<std::string> error_rates(const SharedCode& code, const std::vector<std::string>& names,
                                     const std::vector<Channel>& channels, std::uint64_t frames,
                                     std::uint64_t errors, std::uint64_t seed, bool zero_words,
                                     int threads, const py::object& progress) {
  if (code->encoder.dimension() == 0) {
    throw Error(ErrorCode::model, code->name, "the code has no word but zero");
  }
  std::vector<std::unique_ptr<codes::Decoder>> decoders;
  for (const auto& name : names) decoders.push_back(codes::make_decoder(code->checks, name));
  std::vector<std::string> rows;
  const report::BerRun shared{code.get(), codes::SnrScale::snr, seed, zero_words};
  const auto keep = [](const std::vector<std::string>& all) { return py::object(py::cast(all)); };
  return run(
      progress,
      [&](const Control& control) {
        codes::SimulationOptions options{.seed = seed,
                                         .max_frames = frames,
                                         .target_errors = errors,
                                         .zero_words = zero_words,
                                         .threads = threads};
        options.control = control;
        for (const Channel& channel : channels) {
          std::vector<codes::ErrorCounts> counts(decoders.size());
          simulate(*code, channel, decoders, options, counts);
          for (std::size_t d = 0; d < decoders.size(); ++d) {
            rows.push_back(json_line(
                report::ber_json(shared, {names[d], channel, counts[d], decoders[d]->identity()})));
          }
          if (control.stop.stop_requested()) break;
        }
        return rows;
      },
      keep);
}

py::list list_of_decoders() {
  py::list all;
  for (const codes::DecoderInfo& info : codes::decoders()) {
    py::dict one;
    one["name"] = info.name;
    one["description"] = info.description;
    one["cost"] = info.cost;
    one["settings"] = info.settings;
    all.append(one);
  }
  return all;
}

void add_channel(py::module_& m) {
  py::class_<Channel>(m, "Channel",
                      "What happens to bits, sent as +1 (bit 1) and -1 (bit 0).\n\n"
                      "awgn      y = +-1 + n, n ~ N(0, sigma^2)\n"
                      "burst     the same and, with probability burst_probability, another "
                      "N(0, burst_sigma^2)\n"
                      "rayleigh  y = h (+-h + n), h^2 ~ Exp(1) known to the receiver\n"
                      "bsc       +-1, turned round with probability flip\n"
                      "bec       +-1, or 0 with probability flip\n")
      .def(py::init(&make_channel), py::arg("kind") = "awgn", py::kw_only(), py::arg("sigma") = 1.0,
           py::arg("burst_sigma") = 0.0, py::arg("burst_probability") = 0.05, py::arg("flip") = 0.0)
      .def_property_readonly(
          "kind", [](const Channel& c) { return std::string(name_of(c.kind)); }, "Its name.")
      .def_readonly("sigma", &Channel::sigma, "Standard deviation of the noise.")
      .def_readonly("burst_sigma", &Channel::burst_sigma, "That of bursts.")
      .def_readonly("burst_probability", &Channel::burst_probability, "How often bursts hit a bit.")
      .def_readonly("flip", &Channel::flip, "How often a bit is turned round, or lost.")
      .def("transmit", &transmit, py::arg("words"), py::arg("seed") = 0, py::arg("first") = 0,
           "What arrives of words, one in each row. The noise of row i is that of frame first + i\n"
           "of this seed, whatever the other rows are.")
      .def("llr", &ratios, py::arg("observed"), py::arg("model") = "sigma",
           "log P(1) / P(0) of each bit, by the model sigma (bursts are not known of), mixture\n"
           "(they are) or marginal (their strength is not).");
  m.def("sigma_of", [](double decibels, const std::string& scale, double rate) {
    return codes::sigma_of(decibels, from_word<codes::SnrScale>(scale), rate);
  });
}

}  // namespace

void add_decoders(py::module_& m) {
  add_channel(m);
  py::class_<NamedDecoder, std::shared_ptr<NamedDecoder>>(m, "NamedDecoder")
      .def(py::init(&make_named))
      .def_readonly("code", &NamedDecoder::code)
      .def_readonly("name", &NamedDecoder::name)
      .def("decode", &decode);
  m.def("error_rates", &error_rates);
  m.def("decoders", &list_of_decoders);
}

}  // namespace fgnn::python
