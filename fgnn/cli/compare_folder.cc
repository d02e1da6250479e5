#include "fgnn/cli/compare_folder.h"

#include <algorithm>
#include <cmath>

#include "fgnn/cli/control.h"
#include "fgnn/cluster/group.h"
#include "fgnn/core/error.h"
#include "fgnn/experiments/folders/contest.h"
#include "fgnn/experiments/folders/tables.h"
#include "fgnn/experiments/measurement_log.h"
#include "fgnn/io/atomic_file.h"
#include "fgnn/report/text.h"

namespace fgnn::cli {
namespace {

constexpr double kUsualLimit = 30;  // seconds, where none are given: nobody waits for ever
constexpr const char* kForMap = "auto,max-product,exact";
constexpr const char* kForMarginals = "auto,sum-product,exact";

folders::ContestOptions contest_options(const std::string& methods, const FolderOptions& options,
                                        const SolverOptions& solver) {
  folders::ContestOptions contest;
  contest.query = options.query == "infer" ? Query::infer : Query::map;
  MethodOptions settings = solver.get();
  settings.time_limit = std::isfinite(settings.time_limit) ? settings.time_limit : kUsualLimit;
  settings.control.stop = control().stop;  // the bar is that of the models
  const bool map = contest.query == Query::map;
  const std::string usual = map ? kForMap : kForMarginals;
  contest.methods = parse_variants(contest.query, methods.empty() ? usual : methods, settings);
  contest.toulbar2 = options.toulbar2;
  contest.time_limit = settings.time_limit;
  contest.max_bytes = settings.max_bytes;
  contest.log = options.log;
  contest.control = control();
  return contest;
}

}  // namespace

void FolderOptions::declare(CLI::App& command) {
  command
      .add_option("--query", query,
                  "map, the best assignment, or infer: marginals and partition function")
      ->check(CLI::IsMember({"map", "infer"}))
      ->capture_default_str()
      ->type_name("QUERY");
  command.add_flag("--toulbar2", toulbar2, "By family: also the program toulbar2, on one thread");
  command.add_flag("--details", details, "By family: also a row per model");
  command
      .add_option("--log", log, "By family: keep measurements in this file, and use what it has")
      ->type_name("FILE");
  command.add_option("--html", html, "By family: also write a page with plots")->type_name("FILE");
}

bool FolderOptions::wanted(const std::vector<std::string>& files) const {
  return query != "map" || toulbar2 || details || !log.empty() || !html.empty() ||
         std::ranges::any_of(files, folders::names_many);
}

void compare_folders(const std::vector<std::string>& files, const std::string& methods,
                     const FolderOptions& options, const SolverOptions& solver,
                     const OutputOptions& output) {
  if (cluster::world().size() > 1) {
    throw Error(ErrorCode::usage, "compare", "folders are compared by one process",
                "start it without a launcher");
  }
  const folders::ContestOptions contest = contest_options(methods, options, solver);
  const auto measured = folders::contest(folders::find_models(files), contest);
  const std::string after = experiments::after_stop(options.log);
  if (measured.empty()) end_if_interrupted("compare", "no model was done until then; " + after);
  const folders::Shown shown{contest.query, options.details, output.rows(), contest.time_limit};
  if (!options.html.empty()) {
    write_file(options.html, [&](std::ostream& out) { out << folders::page(measured, shown); });
  }
  output.deliver(output.json ? folders::json(measured, shown) : folders::text(measured, shown));
  end_if_interrupted("compare", "the table is of what was measured until then; " + after);
}

}  // namespace fgnn::cli
