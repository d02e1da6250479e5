#include "fgnn/experiments/outcomes.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"

namespace fgnn::experiments {
namespace {

std::filesystem::path file_of(const std::filesystem::path& folder) {
  return folder / "results.jsonl";
}

JsonLog::Take taker(const std::filesystem::path& folder, const std::string& what,
                    const TakeOutcome& take) {
  return [=](std::string_view line, std::size_t number) {
    bool taken = false;
    try {
      taken = take(Json::parse(line));
    } catch (const std::exception&) {  // a member that is not there, or something else
    }
    if (taken) return;
    throw Error(ErrorCode::format, fmt::format("{}:{}", file_of(folder).string(), number),
                fmt::format("is not a result of fgnn {}", what), "remove the line");
  };
}

const std::filesystem::path& made(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(ErrorCode::io, folder.string(), failure.message());
  return folder;
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
                        const TakeOutcome& take) {
  read_json_log(file_of(folder), taker(folder, what, take));
}

OutcomeFile::OutcomeFile(const std::filesystem::path& folder, const std::string& what,
                         const TakeOutcome& take, const std::vector<std::string>& beginnings)
    : folder_(made(folder)), log_(file_of(folder), beginnings, taker(folder, what, take)) {}

}  // namespace fgnn::experiments
