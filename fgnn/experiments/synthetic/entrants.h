// Who takes part in a contest: classical methods by their text, exact search, networks from files.
#pragma once

#include <filesystem>
#include <string>

#include "fgnn/experiments/synthetic/contest.h"
#include "fgnn/experiments/synthetic/task.h"
#include "fgnn/network/model.h"

namespace fgnn::synthetic {

// A method with its settings, such as "max-product:damping=0.5"; stopped after `time_limit` seconds
// on each instance.
Entrant classical(std::string method, std::string how, double time_limit = kInfinity);

// The dynamic programme that made the labels.
Entrant exact_search();

// A network on batches, every variable taking its likelier state; with `repaired` made an allowed
// assignment and improved (infer/repair.h). `data` says what the network is shown.
Entrant network(std::string method, std::string how, network::Model model,
                const SyntheticTaskOptions& data, bool repaired = false);

// The same from weights/NAME.safetensors; where there is no such file the note says how to make it,
// `training` being the rest of the command.
Entrant trained(std::string method, const std::filesystem::path& weights, const std::string& name,
                const std::string& training, const SyntheticTaskOptions& data,
                bool repaired = false);

// A preset with weights drawn at random, for its time alone.
Entrant untrained(std::string method, const std::string& preset, const SyntheticTaskOptions& data);

// The program toulbar2 with this many whole seconds for each instance, its start included; a note
// instead where it is not installed.
Entrant toulbar2(int seconds);

}  // namespace fgnn::synthetic
