#include "fgnn/infer/method_options.h"

#include "fgnn/core/units.h"

namespace fgnn {

const Words<Rounding>& words_of(Rounding) {
  static const Words<Rounding> kWords{"a rounding",
                                      {{"repair", Rounding::repair}, {"argmax", Rounding::argmax}}};
  return kWords;
}

const SettingList<MethodOptions>& method_settings() {
  using O = MethodOptions;
  static const SettingList<O> kSettings = [] {
    SettingList<O> all("any method");
    all.add("k", &O::k, "N", "How many of the best assignments", above(0));
    all.add("iterations", &O::iterations, "N", "Most passes over the graph");
    all.add("damping", &O::damping, "SHARE", "Share of the old message that is kept, 0 to 1");
    all.add("schedule", &O::schedule, "ORDER", "flooding, sequential, random, residual or layered");
    all.add("temperature", &O::temperature, "T", "1: sum-product; towards 0: max-product");
    all.add("tolerance", &O::tolerance, "CHANGE", "Stop when nothing changes by more");
    all.add("float", &O::single_precision, "", "Single precision: faster, coarser");
    all.add("clusters", &O::clusters, "N", "Joins of factors that tighten the bound (mplp)");
    all.add("orders", &O::orders, "N", "Orders of elimination to try where it is wide (exact)",
            above(0));
    all.add("order-time", &O::order_seconds, "SECONDS", "Try orders for that long (exact)",
            above(0));
    all.add("branches", &O::branches, "N", "Most branches to condition on (exact); 1: none",
            above(0));
    all.add("rounding", &O::rounding, "HOW", "repair (into an allowed assignment) or argmax");
    all.add("ibound", &O::ibound, "BITS", "Clusters of at most 2^BITS joint states", above(0));
    all.add("weights", &O::weights, "HOW", "Of mini-buckets that share a sum: equal or single");
    all.add("restarts", &O::restarts, "N", "How many starting points (mean-field)", above(0));
    all.add("chains", &O::chains, "N", "Independent chains of a sampler", above(1));
    all.add("sweeps", &O::sweeps, "N", "Passes of a chain over all variables", above(0));
    return all;
  }();
  return kSettings;
}

Fields fields(const MethodOptions& o) {
  Fields all;
  for (const MethodSetting& setting : method_settings()) {
    if (setting.given(o)) all.add(setting.name, setting.text(o));
  }
  return all.add("memory", bytes_text(static_cast<double>(o.max_bytes)))
      .add("time limit", o.time_limit)
      .add("threads", o.threads)
      .add("seed", o.seed);
}

}  // namespace fgnn
