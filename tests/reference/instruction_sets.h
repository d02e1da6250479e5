// Runs something on every instruction set that this processor has and fgnn is compiled for: others
// than the best are used on other machines only.
#pragma once

#include <string>

#include "fgnn/core/simd.h"
// simd.h must come first.
#include <hwy/targets.h>

namespace fgnn::testing {

// Calls `run` with the name of each.
template <class Run>
void on_every_instruction_set(Run&& run) {
  const auto choose = [](std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  const auto all = hwy::SupportedAndGeneratedTargets();
  for (const std::int64_t target : all) {
    choose(target);
    run(std::string(hwy::TargetName(target)));
  }
  choose(0);
}

}  // namespace fgnn::testing
