#include "fgnn/experiments/handwriting/results.h"

#include "fgnn/core/error.h"

namespace fgnn::handwriting {
namespace {

constexpr const char* kCommand = "reproduce handwriting";

Json json_of(const Hits& hits) { return {{"letters", hits.letters}, {"right", hits.right}}; }

Hits hits_of(const Json& json) {
  return {json.at("letters").get<std::uint64_t>(), json.at("right").get<std::uint64_t>()};
}

HandwritingOutcome outcome_of(const Json& json) {
  HandwritingOutcome o;
  const Json& run = json.at("run");
  o.run = {run.at("kind"),     run.at("order"),  run.at("rank"),
           run.at("features"), run.at("fold"),   run.at("augment"),
           run.at("held_out"), run.at("epochs"), run.at("seed")};
  o.all = hits_of(json.at("all"));
  o.held_out = hits_of(json.at("held_out"));
  o.seen = hits_of(json.at("seen"));
  o.lexicon = hits_of(json.at("lexicon"));
  o.words = json.at("words");
  o.words_right = json.at("words_right");
  o.seconds = json.at("seconds");
  o.wall_seconds = json.at("wall_seconds");
  o.threads = json.at("threads");
  o.confusion = json.at("confusion").get<std::vector<std::uint64_t>>();
  if (o.confusion.size() != kLetterClasses * kLetterClasses) {
    throw Error(ErrorCode::format, "confusion", "is not 26 x 26 numbers");
  }
  return o;
}

// Adds lines of the file to the results.
experiments::TakeOutcome taker(HandwritingResults& results) {
  return [&results](const Json& json) {
    if (json.contains("epoch")) {
      const Json& t = json.at("epoch");
      results.timings.push_back({t.at("order"), t.at("rank"), t.at("seconds")});
    } else {
      results.outcomes.push_back(outcome_of(json));
    }
    return true;
  };
}

}  // namespace

const HandwritingOutcome* HandwritingResults::find(const HandwritingRun& run) const {
  return experiments::find_outcome(outcomes, run);
}

const EpochTime* HandwritingResults::find(const EpochTime& timing) const {
  for (const auto& t : timings) {
    if (t.order == timing.order && t.rank == timing.rank) return &t;
  }
  return nullptr;
}

std::string line_of(const HandwritingOutcome& o) {
  const HandwritingRun& r = o.run;
  const Json run{{"kind", r.kind},         {"order", r.order},   {"rank", r.rank},
                 {"features", r.features}, {"fold", r.fold},     {"augment", r.augment},
                 {"held_out", r.held_out}, {"epochs", r.epochs}, {"seed", r.seed}};
  return Json{{"run", run},
              {"all", json_of(o.all)},
              {"held_out", json_of(o.held_out)},
              {"seen", json_of(o.seen)},
              {"lexicon", json_of(o.lexicon)},
              {"words", o.words},
              {"words_right", o.words_right},
              {"seconds", o.seconds},
              {"wall_seconds", o.wall_seconds},
              {"threads", o.threads},
              {"confusion", o.confusion}}
      .dump();
}

std::string line_of(const EpochTime& t) {
  return Json{{"epoch", {{"order", t.order}, {"rank", t.rank}, {"seconds", t.seconds}}}}.dump();
}

HandwritingResults read_results(const std::filesystem::path& folder) {
  HandwritingResults results;
  experiments::read_outcome_lines(folder, kCommand, taker(results));
  return results;
}

experiments::OutcomeFile open_results(const std::filesystem::path& folder,
                                      HandwritingResults& results) {
  return {folder, kCommand, taker(results), {"{\"run\":", "{\"epoch\":"}};
}

}  // namespace fgnn::handwriting
