#include "fgnn/experiments/handwriting/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fgnn/core/error.h"
#include "fgnn/experiments/handwriting/network.h"
#include "fgnn/experiments/handwriting/word_reader.h"
#include "fgnn/io/json_log.h"
#include "fgnn/report/json.h"

namespace fgnn::handwriting {
namespace {

constexpr std::size_t kHeldOut = 10;  // of the 55 words
constexpr double kQuickEpochs = 3;
constexpr std::size_t kQuickRank = 128;

double epochs_of(const HandwritingReportOptions& o) {
  if (o.epochs > 0) return o.epochs;
  return o.quick ? kQuickEpochs : kHandwritingEpochs;
}

std::filesystem::path results_file(const std::filesystem::path& folder) {
  return folder / "results.jsonl";
}

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

}  // namespace

std::string HandwritingRun::name() const {
  std::string text = kind;
  if (has_orders(kind)) {
    text += fmt::format("-order{}", order);
    if (order > 0) text += fmt::format("-rank{}", rank);
  }
  if (features != HandwritingRun().features) text += fmt::format("-features{}", features);
  text += fmt::format("-fold{}-epochs{}", fold, epochs);
  if (!augment) text += "-plain";
  if (held_out > 0) text += fmt::format("-without{}", held_out);
  if (seed != 0) text += fmt::format("-seed{}", seed);
  return text;
}

HandwritingOptions HandwritingRun::task(const std::string& data) const {
  HandwritingOptions o;
  o.data = data;
  o.fold = fold;
  o.order = has_orders(kind) ? order : 0;
  o.pairs = kind == "mpnn";
  o.augment = augment;
  o.loss = kind == "crf" ? tasks::Loss::chain : tasks::Loss::cross_entropy;
  o.held_out = held_out;
  o.seed = seed;
  return o;
}

const std::vector<report::TableInfo>& handwriting_tables() {
  static const std::vector<report::TableInfo> all{
      {"orders", "letters read right by the largest order of factors"},
      {"main", "order 3, one fold after another"},
      {"timing", "processor seconds of an epoch by order"},
      {"plain", "without augmentation"},
      {"baselines", "a chain of letters, pairwise messages, and the lexicon"},
      {"product", "the letters of a factor multiplied, as in the paper, where ours adds them"},
      {"held-out", "ten of the words left out of training"},
      {"ranks", "letters read right by the rank of the factors, 64 features"},
  };
  return all;
}

void HandwritingReportOptions::validate() const {
  report::check_tables(tables, handwriting_tables());
  if (data.empty()) {
    throw Error(ErrorCode::usage, "reproduce handwriting", "has no data",
                "name the file of letters: --data letters.tsv.gz");
  }
  if (folder.empty()) {
    throw Error(ErrorCode::usage, "reproduce handwriting", "has no folder for its models",
                "name one: --out runs/handwriting");
  }
  if (folds.empty()) throw Error(ErrorCode::usage, "--folds", "must name at least one");
}

std::vector<HandwritingRun> handwriting_runs(const std::string& table,
                                             const HandwritingReportOptions& o) {
  HandwritingRun base;
  base.epochs = epochs_of(o);
  base.seed = o.seed;
  if (o.quick) base.rank = kQuickRank;
  std::vector<HandwritingRun> runs;
  const auto add = [&](const std::vector<std::uint32_t>& folds, auto change) {
    for (const std::uint32_t fold : folds) {
      HandwritingRun run = base;
      run.fold = fold;
      change(run);
      runs.push_back(run);
    }
  };
  const auto add_orders = [&](std::initializer_list<std::size_t> orders, auto change) {
    for (const std::size_t order : orders) {
      add(o.folds, [&](HandwritingRun& run) {
        run.order = order;
        change(run);
      });
    }
  };
  if (table == "orders") add_orders({0, 1, 2, 3, 4}, [](HandwritingRun&) {});
  if (table == "main") add(o.main_folds, [](HandwritingRun&) {});
  if (table == "plain") add_orders({0, 3, 4}, [](HandwritingRun& run) { run.augment = false; });
  if (table == "product") add_orders({1, 2, 3}, [](HandwritingRun& run) { run.kind = "product"; });
  if (table == "held-out") {
    add_orders({0, 1, 2, 3}, [](HandwritingRun& run) { run.held_out = kHeldOut; });
  }
  if (table == "baselines") {
    for (const char* kind : {"fgnn", "crf", "mpnn"}) {
      add(o.folds, [&](HandwritingRun& run) {
        run.kind = kind;
        run.order = 0;
      });
    }
  }
  if (table == "ranks") {
    for (std::size_t rank = 64; rank <= (o.quick ? 256u : 2048u); rank *= 2) {
      add(o.folds, [&](HandwritingRun& run) {
        run.rank = rank;
        run.features = 64;
      });
    }
  }
  return runs;
}

std::vector<EpochTime> handwriting_timings(const HandwritingReportOptions& o) {
  std::vector<EpochTime> timings;
  for (std::size_t order = 0; order <= 6; ++order) {
    timings.push_back({order, o.quick ? kQuickRank : HandwritingRun().rank, 0});
  }
  return timings;
}

const HandwritingOutcome* HandwritingResults::find(const HandwritingRun& run) const {
  for (const auto& o : outcomes) {
    if (o.run.name() == run.name()) return &o;
  }
  return nullptr;
}

const EpochTime* HandwritingResults::find(const EpochTime& timing) const {
  for (const auto& t : timings) {
    if (t.order == timing.order && t.rank == timing.rank) return &t;
  }
  return nullptr;
}

void test_handwriting(const network::Model& model, const HandwritingTask& task, int threads,
                      HandwritingOutcome& outcome) {
  std::vector<const HandwrittenWord*> words;
  for (const std::size_t w : task.of(tasks::Stream::test)) words.push_back(&task.words()[w]);
  std::set<std::string> known;
  for (const std::size_t w : task.of(tasks::Stream::train)) known.insert(task.words()[w].text);
  const std::vector<std::string> lexicon(known.begin(), known.end());
  const std::set<std::string> left_out(task.held_out().begin(), task.held_out().end());
  const auto read = read_words(model, words, threads);
  outcome.confusion.assign(kLetterClasses * kLetterClasses, 0);
  outcome.words = words.size();
  for (std::size_t w = 0; w < words.size(); ++w) {
    const std::string& label = words[w]->text;
    const std::string guess = likeliest_word(read[w], lexicon);
    outcome.words_right += read[w].text == label;
    for (std::size_t i = 0; i < label.size(); ++i) {
      const bool right = read[w].text[i] == label[i];
      const auto count = [&](Hits& hits, bool hit) {
        ++hits.letters;
        hits.right += hit;
      };
      count(outcome.all, right);
      count(outcome.lexicon, guess[i] == label[i]);
      if (!left_out.empty())
        count(left_out.contains(label) ? outcome.held_out : outcome.seen, right);
      ++outcome.confusion[static_cast<std::size_t>(label[i] - 'a') * kLetterClasses +
                          static_cast<std::size_t>(read[w].text[i] - 'a')];
    }
  }
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

namespace {

// Adds lines of the file to the results.
JsonLog::Take taker(const std::filesystem::path& file, HandwritingResults& results) {
  return [&file, &results](std::string_view line, std::size_t number) {
    try {
      const Json json = Json::parse(line);
      if (json.contains("epoch")) {
        const Json& t = json["epoch"];
        results.timings.push_back({t.at("order"), t.at("rank"), t.at("seconds")});
      } else {
        results.outcomes.push_back(outcome_of(json));
      }
    } catch (const std::exception&) {
      throw Error(ErrorCode::format, fmt::format("{}:{}", file.string(), number),
                  "is not a result of fgnn reproduce handwriting", "remove the line");
    }
  };
}

}  // namespace

HandwritingResults read_results(const std::filesystem::path& folder) {
  HandwritingResults results;
  const std::filesystem::path file = results_file(folder);
  read_json_log(file, taker(file, results));
  return results;
}

HandwritingResults reproduce_handwriting(const HandwritingReportOptions& options,
                                         const HandwritingTrainer& trainer) {
  options.validate();
  if (!trainer.train) return read_results(options.folder);
  // No lock: commands of different tables and folds may share the folder. Each training locks its
  // own, and lines are appended whole.
  std::error_code failure;
  std::filesystem::create_directories(options.folder, failure);
  if (failure) throw Error(ErrorCode::io, options.folder.string(), failure.message());
  HandwritingResults results;
  const std::filesystem::path file = results_file(options.folder);
  JsonLog log(file, {"{\"run\":", "{\"epoch\":"}, taker(file, results));
  std::vector<HandwritingRun> missing;
  std::set<std::string> planned;
  for (const auto& table : handwriting_tables()) {
    if (!options.wants(table.name)) continue;
    for (const auto& run : handwriting_runs(table.name, options)) {
      if (results.find(run) == nullptr && planned.insert(run.name()).second) missing.push_back(run);
    }
  }
  const auto words =
      std::make_shared<const std::vector<HandwrittenWord>>(read_letters(options.data));
  if (options.wants("timing")) {
    for (EpochTime timing : handwriting_timings(options)) {
      if (results.find(timing) != nullptr) continue;
      timing.seconds = trainer.epoch_seconds(timing);
      log.append(line_of(timing));
      results.timings.push_back(timing);
    }
  }
  Stage stage(options.control, "reproducing", static_cast<double>(missing.size()));
  for (const auto& run : missing) {
    if (options.control.stop.stop_requested()) {
      throw Error(ErrorCode::interrupted, options.folder.string(), "interrupted",
                  "the same command goes on");
    }
    stage.note(run.name());
    const HandwritingTask task(run.task(options.data), words);
    HandwritingOutcome outcome;
    outcome.run = run;
    const network::Model model = trainer.train(run, task, outcome);
    test_handwriting(model, task, options.threads, outcome);
    log.append(line_of(outcome));
    results.outcomes.push_back(std::move(outcome));
    stage.advance();
  }
  return results;
}

}  // namespace fgnn::handwriting
