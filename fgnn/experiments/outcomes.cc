#include "fgnn/experiments/outcomes.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/io/json_log.h"

namespace fgnn::experiments {
namespace {

std::filesystem::path file_of(const std::filesystem::path& folder) {
  return folder / "results.jsonl";
}

}  // namespace

Option products_option() {
  return {.name = "--products",
          .value = "NAME",
          .help = "Of matrices in training: bf16 is faster where the processor has it",
          .fallback = "float",
          .choices = {"float", "bf16"}};
}

train::TrainReport train_to_the_end(const std::filesystem::path& folder, const std::string& name,
                                    const tasks::Task& task, network::Description description,
                                    const train::TrainOptions& options) {
  auto report = train::train(task, std::move(description), options,
                             {folder / name, train::Start::resume_or_begin});
  if (report.interrupted) {
    throw Error(ErrorCode::interrupted, name, "interrupted",
                "the same command goes on from the last step");
  }
  return report;
}

void read_outcome_lines(const std::filesystem::path& folder, const std::string& what,
                        const std::function<bool(const Json&)>& take) {
  const auto file = file_of(folder);
  read_json_log(file, [&](std::string_view line, std::size_t number) {
    const auto json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    const bool named = json.is_object() && json.contains("run") && json["run"].is_string();
    if (!named || !take(json)) {
      throw Error(ErrorCode::format, fmt::format("{}:{}", file.string(), number),
                  fmt::format("is not an outcome of {}", what));
    }
  });
}

void keep_outcome(const std::filesystem::path& folder, const std::string& line) {
  std::filesystem::create_directories(folder);
  JsonLog(file_of(folder), {"{\"run\":"}, [](std::string_view, std::size_t) {}).append(line);
}

}  // namespace fgnn::experiments
