#include "fgnn/train/run_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/reference/scratch.h"

namespace fgnn::train {
namespace {

using testing::Scratch;

std::string text_of(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::size_t event_files(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    count += entry.path().filename().string().starts_with("events.") &&
             std::filesystem::file_size(entry.path()) > 0;
  }
  return count;
}

TEST(RunLog, WritesALinePerStepAndAnEventFile) {
  const Scratch scratch;
  RunLog log(scratch.path(), 0);
  log.write(10, {{"train_loss", 0.5}, {"rate", 1e-3}});
  log.write(20, {{"train_loss", 0.25}});
  // There while the run goes on.
  std::istringstream lines(text_of(scratch.path() / "metrics.jsonl"));
  std::string first, second, rest;
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_FALSE(std::getline(lines, rest));
  EXPECT_EQ(nlohmann::json::parse(first),
            (nlohmann::json{{"step", 10}, {"train_loss", 0.5}, {"rate", 1e-3}}));
  EXPECT_EQ(nlohmann::json::parse(second), (nlohmann::json{{"step", 20}, {"train_loss", 0.25}}));
  EXPECT_EQ(event_files(scratch.path()), 1u);
}

TEST(RunLog, DropsLaterStepsAndAHalfLineOfAKilledRun) {
  const Scratch scratch;
  const auto file = scratch.path() / "metrics.jsonl";
  const std::string kept =
      "{\"step\":10,\"train_loss\":0.5}\n{\"step\":20,\"train_loss\":0.25,\"more\":[1]}\n";
  std::ofstream(file) << kept << "{\"step\":30,\"train_loss\":0.125}\n{\"step\":40,\"train_lo";
  {
    RunLog log(scratch.path(), 20);
    EXPECT_EQ(text_of(file), kept);
    log.write(30, {{"train_loss", 1}});
  }
  EXPECT_EQ(text_of(file), kept + "{\"step\":30,\"train_loss\":1.0}\n");
}

TEST(RunLog, DropsWhatIsNoLineOfItsOwn) {
  const Scratch scratch;
  const auto file = scratch.path() / "metrics.jsonl";
  std::ofstream(file) << "\n[]\n3\n{}\n{\"step\":-1}\n{\"step\":\"5\"}\n{\"step\":5}\n\xff\n";
  RunLog log(scratch.path(), 20);
  EXPECT_EQ(text_of(file), "{\"step\":5}\n");
}

TEST(RunLog, ANewRunStartsEmpty) {
  const Scratch scratch;
  std::ofstream(scratch.path() / "metrics.jsonl") << "{\"step\":10}\n";
  RunLog log(scratch.path(), 0);
  EXPECT_EQ(text_of(scratch.path() / "metrics.jsonl"), "");
}

TEST(RunLog, NumbersThatAreNotFiniteAreLoggedAndDrawn) {
  const Scratch scratch;
  const double infinity = std::numeric_limits<double>::infinity();
  {
    RunLog log(scratch.path(), 0);
    log.write(1, {{"train_loss", 0.5}, {"validation_loss", std::nan("")}});
    log.write(2, {{"train_loss", infinity}, {"validation_loss", infinity}});
    log.write(3, {{"train_loss", 0.3}, {"validation_loss", 0.2}});
  }
  const std::string text = text_of(scratch.path() / "metrics.jsonl");
  EXPECT_NE(text.find("\"validation_loss\":null"), std::string::npos) << text;
  EXPECT_NO_THROW(plot_curve(scratch.path()));
  RunLog again(scratch.path(), 3);
  EXPECT_EQ(text_of(scratch.path() / "metrics.jsonl"), text);
}

TEST(RunLog, TheCurveIsAPicture) {
  const Scratch scratch;
  EXPECT_FALSE(plot_curve(scratch.path()));  // nothing to draw
  {
    RunLog log(scratch.path(), 0);
    for (const int step : {1, 2, 3}) {
      log.write(static_cast<std::uint64_t>(step), {{"train_loss", 1. / step},
                                                   {"validation_loss", 2. / step},
                                                   {"validation_accuracy", 0.1 * step}});
    }
  }
  if (!plot_curve(scratch.path())) GTEST_SKIP() << "no gnuplot";
  const std::string svg = text_of(scratch.path() / "curve.svg");
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("validation accuracy"), std::string::npos);
}

}  // namespace
}  // namespace fgnn::train
