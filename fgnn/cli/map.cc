// fgnn map: the best assignment, or the k best.
#include <fmt/core.h>

#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/solve.h"
#include "fgnn/io/uai_answers.h"
#include "fgnn/report/text.h"

namespace fgnn::cli {
namespace {

// "x[3]=1 x[5]=0": where a solution differs from the best one.
std::string changes(const FactorGraph& graph, const std::vector<State>& best,
                    const std::vector<State>& other) {
  std::string text;
  for (VariableId v = 0; v < best.size(); ++v) {
    if (other[v] != best[v]) {
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", graph.name(v), other[v]);
    }
  }
  return text;
}

std::string solutions_text(const FactorGraph& graph, const Result& result) {
  TextTable table({{"rank", Align::right}, {"score", Align::right}, {"changes from the best"}});
  for (std::size_t i = 0; i < result.solutions.size(); ++i) {
    const Solution& solution = result.solutions[i];
    table.add({fmt::format("{}", i + 1), number_text(solution.score),
               changes(graph, result.assignment, solution.assignment)});
  }
  return table.text() + "\n";
}

void add_certificate(Summary& summary, const Certificate& certificate) {
  summary.add("certificate",
              fmt::format("{}: bound {:.9g}, {}", certificate.method, certificate.bound,
                          certificate.proved ? "gap 0: proved optimal"
                                             : fmt::format("gap {:.3g}", certificate.gap)));
  summary.add("  its time", seconds_text(certificate.seconds));
}

std::string text(const FactorGraph& graph, const Solved& solved, const SolveOptions& options) {
  const Result& result = solved.result;
  Summary summary;
  add_method(summary, result);
  summary.add("score", fmt::format("{:.9g}", result.score));
  if (result.bound < kInfinity) summary.add("bound", fmt::format("{:.9g}", result.bound));
  if (result.iterations > 0) summary.add("iterations", fmt::format("{}", result.iterations));
  summary.add("time", seconds_text(result.seconds));
  if (solved.certificate) add_certificate(summary, *solved.certificate);
  return assignment_table(graph, result.assignment).text(options.output.rows()) + "\n" +
         (options.k() > 1 ? solutions_text(graph, result) : "") + summary.text();
}

void add_json(Json& json, const Solved& solved, const SolveOptions& options) {
  const Result& result = solved.result;
  json["assignment"] = result.assignment;
  json["score"] = result.score;
  json["bound"] = result.bound;
  json["feasible"] = result.score != kForbidden;
  if (const auto& c = solved.certificate) {
    json["certificate"] = {{"method", c->method},
                           {"bound", c->bound},
                           {"gap", c->gap},
                           {"proved", c->proved},
                           {"seconds", c->seconds}};
  }
  if (options.k() == 1) return;
  Json rows = Json::array();
  for (const Solution& solution : result.solutions) {
    rows.push_back({{"score", solution.score}, {"assignment", solution.assignment}});
  }
  json["solutions"] = std::move(rows);
}

void answer(std::ostream& out, const Result& result, const SolveOptions&) {
  write_map(out, result.assignment);
}

}  // namespace

void add_map(CLI::App& app) {
  auto options = std::make_shared<SolveOptions>();
  CLI::App* command = add_command(
      app, "map", "The assignment of the highest score, or k best",
      "Prints the state of each variable, its score (the natural logarithm of the unnormalised\n"
      "probability) and an upper bound on any score, where the method gives one: equal to it when\n"
      "the optimum is proved. With --k, also the runners-up. --json prints status, method,\n"
      "variables, assignment, score, bound, feasible, solutions (--k), iterations and seconds;\n"
      "infinities are null. An infeasible model ends with exit code 6; a method that did not\n"
      "converge says so in its status and ends with exit code 0.\n"
      "fgnn:FILE is a trained network (or fgnn:d3, one that comes with the program); it takes\n"
      "binary variables with pairs and budgets, also budgets written as tables. Approximate "
      "answers\n"
      "are made allowed ones; --no-repair leaves them as they are. --certificate runs a "
      "relaxation\n"
      "beside the method and prints its bound, the gap, and 'proved optimal' where that is zero\n"
      "(JSON: certificate with method, bound, gap, proved and seconds). A method that tries "
      "others\n"
      "(auto) says so in --report and in tried (method, outcome, score, bound, seconds); one that\n"
      "gets better as time goes on has a trace of seconds, score and bound there, which --plot "
      "draws.",
      {"fgnn map model.uai --evidence model.uai.evid --answer uai", "fgnn map model.fgt --k 5",
       "fgnn map chain.uai --method fgnn:d3 --certificate ad3",
       "fgnn map large.uai --time-limit 60 --report --plot trace.svg"});
  options->declare(*command, Query::map);
  command
      ->add_flag_function(
          "--repair,!--no-repair",
          [options](std::int64_t wanted) {
            // Methods whose answers need none do not know the setting.
            if (wanted < 0) options->solver.settings.rounding = Rounding::argmax;
          },
          "Make the answer an allowed one (the default), or not: --rounding argmax")
      ->disable_flag_override();
  command
      ->add_option("--certificate", options->certificate, "Judge the answer by a bound: mplp, ad3")
      ->check(CLI::IsMember(certificate_methods()))
      ->type_name("METHOD");
  command->add_option("--answer", options->answer, "Print a competition answer: uai (MAP)")
      ->check(CLI::IsMember({"uai"}))
      ->type_name("FORMAT");
  command->add_option("--plot", options->plot, "Draw score and bound over time (SVG, by gnuplot)")
      ->type_name("FILE");
  command->callback([options] { solve(*options, Query::map, {text, add_json, answer}); });
}

}  // namespace fgnn::cli
