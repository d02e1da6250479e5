#include "fgnn/experiments/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "fgnn/core/error.h"
#include "fgnn/core/parse.h"
#include "fgnn/core/suggest.h"
#include "fgnn/experiments/handwriting/task.h"
#include "fgnn/experiments/ldpc/task.h"
#include "fgnn/experiments/matching/task.h"
#include "fgnn/experiments/synthetic/task.h"

namespace fgnn::experiments {
namespace {

constexpr std::size_t kLargestUnlabelled = 8;  // side of a grid whose exact MAP takes a few ms

template <class Whole = std::uint64_t>
Whole whole(const Settings& settings, const std::string& key) {
  const std::string& text = settings.at(key);
  Whole value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    throw Error(ErrorCode::usage, key,
                fmt::format("'{}' is not a whole number up to {}", text,
                            std::numeric_limits<Whole>::max()));
  }
  return value;
}

double number(const Settings& settings, const std::string& key) {
  try {
    return parse_finite(settings.at(key));
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, key, error.what());
  }
}

bool yes(const Settings& settings, const std::string& key) {
  const std::string& text = settings.at(key);
  if (text != "yes" && text != "no") throw Error(ErrorCode::usage, key, "is neither yes nor no");
  return text == "yes";
}

std::unique_ptr<tasks::Task> make_synthetic(const Settings& s) {
  synthetic::SyntheticTaskOptions o;
  o.data.dataset = s.at("dataset");
  o.data.length = whole(s, "length");
  o.data.side = whole(s, "side");
  o.data.order = whole(s, "order");
  o.data.every_node = yes(s, "every_node");
  o.data.pairwise_of_text = yes(s, "pairwise_of_text");
  o.data.seed = whole(s, "data_seed");
  o.instances = whole(s, "instances");
  o.shown_order = whole(s, "shown_order");
  o.temperature = number(s, "temperature");
  o.labels = s.at("labels");
  if (o.data.dataset == "D5" && o.data.side > kLargestUnlabelled && o.labels.empty()) {
    throw Error(
        ErrorCode::usage, "D5", "has labels that take too long to find while training",
        fmt::format("train on grids of side {} or less, or make them with fgnn label and give "
                    "--task labels=FOLDER",
                    kLargestUnlabelled));
  }
  return std::make_unique<synthetic::SyntheticTask>(std::move(o));
}

std::unique_ptr<tasks::Task> make_ldpc(const Settings& s) {
  ldpc::LdpcOptions o;
  o.code = s.at("code");
  o.snr = s.at("snr");
  o.burst = s.at("burst");
  o.view = learned::ReceivedOptions::of(s);
  o.targets = s.at("targets");
  o.seed = whole(s, "data_seed");
  return std::make_unique<ldpc::LdpcTask>(std::move(o));
}

std::unique_ptr<tasks::Task> make_handwriting(const Settings& s) {
  handwriting::HandwritingOptions o;
  o.data = s.at("data");
  o.fold = whole<std::uint32_t>(s, "fold");
  o.order = whole(s, "order");
  o.pairs = yes(s, "pairs");
  o.augment = yes(s, "augment");
  const std::string& loss = s.at("loss");
  if (loss != "letters" && loss != "chain") {
    throw Error(ErrorCode::usage, "loss", fmt::format("is '{}'", loss), "letters or chain");
  }
  o.loss = loss == "chain" ? tasks::Loss::chain : tasks::Loss::cross_entropy;
  o.held_out = whole(s, "held_out");
  o.test = s.at("test");
  o.validation = whole(s, "validation");
  o.seed = whole(s, "data_seed");
  return std::make_unique<handwriting::HandwritingTask>(std::move(o));
}

std::unique_ptr<tasks::Task> make_matching(const Settings& s) {
  return std::make_unique<matching::MatchingTask>(matching::matching_options(s));
}

}  // namespace

const std::vector<TaskInfo>& task_list() {
  static const std::vector<TaskInfo> all{
      {"synthetic",
       "the exact MAP of the paper's chains with budgets (D1 to D3), chains (D4) and trees, and of "
       "grids with budgets (D5)",
       {{"dataset", "D3"},
        {"length", "30"},
        {"side", "12"},
        {"order", "9"},
        {"every_node", "no"},
        {"pairwise_of_text", "no"},
        {"data_seed", "0"},
        {"instances", "0"},
        {"shown_order", "0"},
        {"temperature", "0"},
        {"labels", ""}},
       make_synthetic},
      {"ldpc",
       "the bits of words that passed the paper's burst channel; code=FILE.alist, or one made here",
       {{"code", ""},
        {"snr", "0:4:1"},
        {"burst", "0:5:1"},
        {"llr", "word"},
        {"view", "bits"},
        {"beliefs", ""},
        {"lists", ""},
        {"positions", "no"},
        {"targets", "sent"},
        {"data_seed", "0"}},
       make_ldpc},
      {"handwriting",
       "the letters of handwritten words, by windows up to an order; data=FILE of letters, trained "
       "on one fold, tested on the others",
       {{"data", ""},
        {"fold", "0"},
        {"order", "3"},
        {"pairs", "no"},
        {"augment", "yes"},
        {"loss", "letters"},
        {"held_out", "0"},
        {"test", "all"},
        {"validation", "0"},
        {"data_seed", "0"}},
       make_handwriting},
      {"matching",
       "the partners of keypoints in two pictures, or of random points; data=FOLDER of keypoints "
       "with features, or data=random",
       matching::matching_settings(), make_matching},
  };
  return all;
}

Settings parse_settings(const std::vector<std::string>& texts, const std::string& option) {
  Settings settings;
  for (const auto& text : texts) {
    const auto at = text.find('=');
    if (at == std::string::npos || at == 0) {
      throw Error(ErrorCode::usage, option, fmt::format("'{}' is not KEY=VALUE", text));
    }
    settings[text.substr(0, at)] = text.substr(at + 1);
  }
  return settings;
}

std::unique_ptr<tasks::Task> make_task(const std::string& name, const Settings& given) {
  std::vector<std::string> names;
  for (const auto& info : task_list()) {
    names.push_back(info.name);
    if (info.name != name) continue;
    Settings settings = info.settings;
    std::vector<std::string> known;
    for (const auto& [key, value] : settings) known.push_back(key);
    for (const auto& [key, value] : given) {
      if (!settings.contains(key)) {
        throw Error(ErrorCode::usage, fmt::format("task {}", name),
                    fmt::format("has no setting '{}'", key), suggestion(key, known));
      }
      settings[key] = value;
    }
    return info.make(settings);
  }
  throw Error(ErrorCode::usage, name, "is not a task", suggestion(name, names));
}

std::string task_name_of(const network::Model& model) {
  const auto saved = model.metadata.find("task");
  return saved == model.metadata.end() ? "" : saved->second;
}

std::unique_ptr<tasks::Task> make_task_of(const network::Model& model, const std::string& file,
                                          const std::string& name, const Settings& given) {
  Settings settings = given;
  std::vector<std::string> saved;  // by the file alone
  for (const auto& info : task_list()) {
    if (info.name != name) continue;
    for (const auto& [key, value] : info.settings) {
      const auto known = model.metadata.find(key);
      if (known != model.metadata.end() && settings.try_emplace(key, known->second).second) {
        saved.push_back(key);
      }
    }
  }
  try {
    return make_task(name, settings);
  } catch (const Error& error) {
    const auto is_subject = [&](const std::string& key) {
      return error.subject() == key || error.subject() == fmt::format("'{}'", settings.at(key));
    };
    const bool of_file = std::ranges::any_of(saved, is_subject) ||
                         (error.subject() == name && name == task_name_of(model));
    if (!of_file || error.code() != ErrorCode::usage) throw;
    throw Error(ErrorCode::format, file, fmt::format("its metadata: {}", error.what()));
  }
}

}  // namespace fgnn::experiments
