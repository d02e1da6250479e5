#include "fgnn/network/schedule.h"

#include <algorithm>
#include <set>

namespace fgnn::network {
namespace {

// The stage in which each operation begins: after the meetings that its inputs wait for.
std::vector<int> first_stages(const Program& program, const std::vector<Ports>& ports,
                              const Purpose& purpose) {
  std::vector<int> ready(program.registers.size()), stage;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    int at = 0;
    for (const int r : ports[i].inputs) at = r < 0 ? at : std::max(at, ready[r]);
    stage.push_back(at);
    ready[ports[i].output] = at + program.operations[i]->meets(purpose.training);
  }
  return stage;
}

std::vector<bool> with_gradient(const Program& program, const std::vector<Ports>& ports,
                                const Purpose& purpose) {
  std::vector<bool> wanted(program.registers.size());
  if (!purpose.gradients) return wanted;
  if (purpose.inputs) {
    wanted[program.variable_input] = true;
    for (const auto* list : {&program.factor_input, &program.edge_input}) {
      for (const int r : *list) {
        if (r >= 0) wanted[r] = true;
      }
    }
  }
  for (const Ports& p : ports) {
    for (const int r : p.inputs) {
      if (r >= 0 && wanted[r]) wanted[p.output] = true;
    }
    for (const int q : p.parameters) {
      if (q >= 0 && program.parameters[q].trained) wanted[p.output] = true;
    }
  }
  return wanted;
}

}  // namespace

Schedule::Schedule(const Program& program, const Purpose& purpose) {
  std::vector<Ports> ports;
  for (const auto& o : program.operations) ports.push_back(o->ports());
  wanted = with_gradient(program, ports, purpose);
  const auto begins = first_stages(program, ports, purpose);
  stages.resize(1);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const int s = begins[i], o = static_cast<int>(i);
    const bool meets = program.operations[i]->meets(purpose.training);
    stages.resize(std::max<std::size_t>(stages.size(), s + 1 + meets));
    stages[s].steps.push_back({o, meets ? Step::first : Step::whole, ports[i].output, {}, {}});
    if (meets) stages[s + 1].steps.push_back({o, Step::second, ports[i].output, {}, {}});
  }

  // Values: the last step that reads each forwards, and the first that reads it backwards.
  std::vector<Step*> last(program.registers.size()), back(program.registers.size());
  complete.assign(program.parameters.size(), -1);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    std::set<int> written;
    for (Step& step : stages[s].steps) {
      const Ports& p = ports[step.operation];
      last[p.output] = &step;  // where nobody reads it
      for (const int r : p.inputs) {
        if (r >= 0) last[r] = &step;
      }
      if (!wanted[p.output]) continue;
      for (const int r : p.again) {
        if (r >= 0 && back[r] == nullptr) back[r] = &step;
      }
      for (const int q : p.parameters) {
        if (q < 0 || !program.parameters[q].trained) continue;
        written.insert(q);
        if (complete[q] < 0) complete[q] = static_cast<int>(s);
      }
    }
    stages[s].parameters.assign(written.begin(), written.end());
  }
  for (std::size_t r = 0; r < last.size(); ++r) {
    if (static_cast<int>(r) == program.output) continue;  // its reader comes after the run
    if (back[r] != nullptr) {
      back[r]->last_returns.push_back(static_cast<int>(r));
    } else if (last[r] != nullptr) {
      last[r]->last_reads.push_back(static_cast<int>(r));
    }
  }
}

}  // namespace fgnn::network
