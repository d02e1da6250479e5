#include "fgnn/experiments/ldpc/experiment.h"

#include "fgnn/experiments/ldpc/reproduce.h"
#include "fgnn/experiments/ldpc/task.h"
#include "fgnn/experiments/settings.h"

namespace fgnn::ldpc {
namespace {

std::unique_ptr<tasks::Task> make(const experiments::Settings& s) {
  LdpcOptions o;
  o.code = s.at("code");
  o.snr = s.at("snr");
  o.burst = s.at("burst");
  o.view = learned::ReceivedOptions::of(s);
  o.targets = s.at("targets");
  o.seed = experiments::whole(s, "data_seed");
  return std::make_unique<LdpcTask>(std::move(o));
}

experiments::TaskInfo task() {
  return {.name = "ldpc",
          .description =
              "the bits of words that passed the paper's burst channel; code=FILE.alist, or one "
              "made here",
          .settings = {{"code", "", "an alist file; default: a (96,48) code made here"},
                       {"snr", "0:4:1", "levels to draw from, in dB"},
                       {"burst", "0:5:1", "levels of the bursts' strength"},
                       {"llr", "word", "or sigma: ratios that know of no bursts"},
                       {"view", "bits", "or flips: relative to the bitwise decisions"},
                       {"beliefs", "", "iterations of sum-product whose beliefs are shown: 5+20"},
                       {"lists", "", "orders of ordered statistics whose lists are shown: 2"},
                       {"positions", "no", "show each bit and check which it is"},
                       {"targets", "sent", "or posterior, by ordered statistics"},
                       {"data_seed", "0", "of the words"}},
          .make = make,
          .examples = {"fgnn train ldpc --network fgnn-8 --out runs/ldpc"},
          .family_examples = {"fgnn neuralize --family ldpc --untied --latents 16 --channels 8 "
                              "--out decoder.safetensors"}};
}

}  // namespace

experiments::Experiment experiment() {
  return {.name = "ldpc",
          .description = "decoding of LDPC codes under burst noise (section 5.2)",
          .tasks = {task()},
          .reproduction = reproduction()};
}

}  // namespace fgnn::ldpc
