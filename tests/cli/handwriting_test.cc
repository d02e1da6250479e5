// Handwritten words from outside: looked at, learned, read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fgnn/core/random.h"
#include "fgnn/experiments/handwriting/letters.h"
#include "tests/cli/process.h"
#include "tests/reference/scratch.h"

namespace fgnn::testing {
namespace {

using nlohmann::json;

// An alphabet of three glyphs, with a tenth of the pixels turned round; "c" and "d" look the same,
// so that only their neighbours tell them apart.
handwriting::LetterImage drawn(char letter, Rng& random) {
  handwriting::LetterImage image;
  for (std::size_t y = 0; y < handwriting::kLetterHeight; ++y) {
    image.rows[y] = letter == 'a' ? 0xf0 : letter == 'b' ? 0x0f : y < 8 ? 0xff : 0;
    for (int x = 0; x < 8; ++x)
      image.rows[y] ^= static_cast<std::uint8_t>((random.below(10) == 0) << x);
  }
  return image;
}

std::string write_letters(const std::filesystem::path& folder) {
  std::vector<handwriting::HandwrittenWord> words;
  Rng random(1);
  for (std::uint32_t fold = 0; fold < 2; ++fold) {
    for (int copy = 0; copy < 20; ++copy) {
      for (const char* text : {"ac", "bd", "acac", "bdbd", "a"}) {
        handwriting::HandwrittenWord word{static_cast<std::uint32_t>(words.size()), fold, text, {}};
        for (const char letter : word.text) word.images.push_back(drawn(letter, random));
        words.push_back(std::move(word));
      }
    }
  }
  const auto file = folder / "letters.tsv";
  std::ofstream(file) << handwriting::letters_text(words);
  return file.string();
}

TEST(HandwritingProgram, LooksAtLetters) {
  const Scratch scratch;
  const std::string file = write_letters(scratch.path());
  const json info = json::parse(run_program("letters info --json " + file));
  EXPECT_EQ(info.at("words"), 200);
  EXPECT_EQ(info.at("letters"), 40 * 13);
  EXPECT_EQ(info.at("distinct").size(), 5u);
  EXPECT_EQ(info.at("folds").at("1"), 100);
  EXPECT_TRUE(run_program("letters show --word 3 " + file).starts_with("<svg"));
  EXPECT_TRUE(run_program("letters show --word 999 " + file).empty());
}

TEST(HandwritingProgram, LearnsWhatOnlyNeighboursTellAndReadsIt) {
  const Scratch scratch;
  const std::string file = write_letters(scratch.path());
  const std::string run = (scratch.path() / "run").string();
  const json trained = json::parse(run_program(fmt::format(
      "train handwriting --task data={},augment=no --order 1 --rank 16 --features 16 --epochs 30 "
      "--threads 1 --out {} --json",
      file, run)));
  EXPECT_LT(trained.at("last_loss").get<double>(), trained.at("first_loss").get<double>());
  const json read = json::parse(
      run_program(fmt::format("read {} --weights {}/model.safetensors --json", file, run)));
  EXPECT_GT(read.at("accuracy").get<double>(), 0.97);
  EXPECT_EQ(read.at("words").size(), 200u);
  const std::string text =
      run_program(fmt::format("read {} --weights {}/model.safetensors", file, run));
  EXPECT_NE(text.find("letters as labelled"), std::string::npos);
  // A picture of the same word is read the same.
  const auto words = handwriting::read_letters(file);
  const auto picture = scratch.path() / "word.pbm";
  {
    std::ofstream out(picture);
    out << "P1\n" << 8 * words[0].images.size() << " 16\n";
    for (std::size_t y = 0; y < 16; ++y) {
      for (const auto& image : words[0].images) {
        for (std::size_t x = 0; x < 8; ++x) out << (image.pixel(y, x) ? "1 " : "0 ");
      }
      out << "\n";
    }
  }
  const json one = json::parse(run_program(
      fmt::format("read {} --weights {}/model.safetensors --json", picture.string(), run)));
  EXPECT_EQ(one.at("words")[0].at("read"), read.at("words")[0].at("read"));
  EXPECT_FALSE(one.contains("accuracy"));
}

TEST(HandwritingProgram, ReproducesAndGoesOn) {
  const Scratch scratch;
  const std::string file = write_letters(scratch.path());
  const std::string folder = (scratch.path() / "runs").string();
  const std::string page = (scratch.path() / "page.html").string();
  const std::string command = fmt::format(
      "reproduce handwriting --data {} --out {} --quick --epochs 0.5 --threads 1 "
      "--tables orders,baselines --html {} --json",
      file, folder, page);
  const std::string first = run_program(command);
  const json rows = json::parse(first).at("rows");
  EXPECT_EQ(rows.size(), 9u);
  for (const auto& row : rows) EXPECT_EQ(row.at("folds"), 1) << row;
  for (const auto& row : rows) {
    for (const char* key : {"table", "dataset", "method", "ours", "paper", "unit", "stderr"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
  }
  EXPECT_TRUE(std::filesystem::exists(page));
  const auto written = std::filesystem::last_write_time(folder + "/results.jsonl");
  EXPECT_EQ(run_program(command), first);
  EXPECT_EQ(std::filesystem::last_write_time(folder + "/results.jsonl"), written);
}

TEST(HandwritingProgram, FindsItsDataInTheFolderOfAllData) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path() / "letters");
  const Words command{"train", "handwriting", "--order",   "0", "--features", "8",
                      "--set", "steps=1",     "--threads", "1", "--json"};
  Program without(command, {{"FGNN_DATA", scratch.path().string()}});
  ASSERT_TRUE(without.wait(300));
  EXPECT_EQ(without.exit_code(), 3);
  EXPECT_NE(without.err().find("letters/letters.tsv.gz: is not there"), std::string::npos)
      << without.err();
  std::filesystem::copy_file(write_letters(scratch.path()),
                             scratch.path() / "letters" / "letters.tsv.gz");
  Program with(command, {{"FGNN_DATA", scratch.path().string()}});
  ASSERT_TRUE(with.wait(300));
  EXPECT_EQ(with.exit_code(), 0) << with.err();
  EXPECT_EQ(json::parse(with.out()).at("steps"), 1);
}

TEST(HandwritingProgram, OptionsOfOtherTasksAreRefused) {
  Program program({"train", "synthetic", "--baseline", "crf"});
  ASSERT_TRUE(program.wait(300));
  EXPECT_EQ(program.exit_code(), 2);
  EXPECT_NE(program.err().find(
                "--baseline: is not an option of the task synthetic; it is for handwriting"),
            std::string::npos)
      << program.err();
}

}  // namespace
}  // namespace fgnn::testing
