#include "fgnn/experiments/ldpc/experiment.h"

#include "fgnn/experiments/ldpc/reproduce.h"
#include "fgnn/experiments/ldpc/task.h"
#include "fgnn/experiments/settings.h"

namespace fgnn::ldpc {
namespace {

std::unique_ptr<tasks::Task> make(const experiments::Settings& s) {
  return std::make_unique<LdpcTask>(experiments::options_of(task_settings(), s));
}

experiments::TaskInfo task() {
  return {.name = "ldpc",
          .description =
              "the bits of words that passed the paper's burst channel; code=FILE.alist, or one "
              "made here",
          .settings = experiments::settings_of(task_settings()),
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
