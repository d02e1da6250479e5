#include "fgnn/io/event_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "fgnn/io/crc32c.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::Scratch;

// Bit by bit, as the polynomial says.
std::uint32_t slow_crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
  }
  return ~crc;
}

TEST(Crc32c, KnownValues) {
  for (const auto& crc : {crc32c, slow_crc32c}) {
    EXPECT_EQ(crc("123456789"), 0xe3069283u);
    EXPECT_EQ(crc(""), 0u);
    EXPECT_EQ(crc(std::string(32, '\0')), 0x8a9136aau);  // RFC 3720, B.4
    EXPECT_EQ(crc(std::string(32, '\xff')), 0x62a8ab43u);
  }
}

RC_GTEST_PROP(Crc32c, IsThatOfTheSlowOne, (const std::string& bytes)) {
  RC_ASSERT(crc32c(bytes) == slow_crc32c(bytes));
}

template <class Number>
Number take(std::string_view& bytes) {
  Number number{};
  if (bytes.size() < sizeof number) throw std::runtime_error("cut off");
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

// The fields of a protocol buffer by number; numbers as their bits.
struct Field {
  unsigned wire;
  std::uint64_t bits;
  std::string bytes;
};

std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = take<std::uint8_t>(bytes);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
}

std::map<unsigned, Field> fields(std::string_view bytes) {
  std::map<unsigned, Field> result;
  while (!bytes.empty()) {
    const std::uint64_t key = take_varint(bytes);
    Field field{static_cast<unsigned>(key & 7), 0, {}};
    if (field.wire == 0) field.bits = take_varint(bytes);
    if (field.wire == 1) field.bits = take<std::uint64_t>(bytes);
    if (field.wire == 5) field.bits = take<std::uint32_t>(bytes);
    if (field.wire == 2) {
      const std::uint64_t length = take_varint(bytes);
      field.bytes = bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
    result.emplace(static_cast<unsigned>(key >> 3), field);
  }
  return result;
}

struct Event {
  double wall_time;
  std::int64_t step;
  std::string version, tag;
  float value;
};

Event decoded(const std::string& record) {
  const auto event = fields(record);
  Event result{std::bit_cast<double>(event.at(1).bits), static_cast<std::int64_t>(event.at(2).bits),
               "", "", 0};
  EXPECT_EQ(event.size(), 3u);
  if (event.contains(3)) result.version = event.at(3).bytes;
  if (event.contains(5)) {
    const auto value = fields(fields(event.at(5).bytes).at(1).bytes);
    result.tag = value.at(1).bytes;
    EXPECT_EQ(value.at(2).wire, 5u);
    result.value = std::bit_cast<float>(static_cast<std::uint32_t>(value.at(2).bits));
  }
  return result;
}

std::vector<Event> events_of(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  const std::string whole = text.str();
  std::string_view bytes = whole;
  const auto masked = [](std::string_view data) {
    const std::uint32_t crc = slow_crc32c(data);
    return static_cast<std::uint32_t>((crc >> 15 | crc << 17) + 0xa282ead8u);
  };
  std::vector<Event> events;
  while (!bytes.empty()) {
    const std::string_view length_bytes = bytes.substr(0, 8);
    const auto length = take<std::uint64_t>(bytes);
    EXPECT_EQ(take<std::uint32_t>(bytes), masked(length_bytes));
    const std::string record(bytes.substr(0, length));
    bytes.remove_prefix(length);
    EXPECT_EQ(take<std::uint32_t>(bytes), masked(record));
    events.push_back(decoded(record));
  }
  return events;
}

TEST(EventFile, TheBytesAreThoseOfTheFormat) {
  const Scratch scratch;
  EventFile file(scratch.path(), 1.0);
  std::stringstream text;
  text << std::ifstream(file.path(), std::ios::binary).rdbuf();
  using namespace std::string_literals;
  // 26 bytes: wall_time 1.0, step 0, file_version.
  const std::string event = "\x09\0\0\0\0\0\0\xf0\x3f\x10\0\x1a\x0d"s + "brain.Event:2";
  EXPECT_EQ(text.str().substr(0, 8), "\x1a\0\0\0\0\0\0\0"s);
  EXPECT_EQ(text.str().substr(12, 26), event);
  EXPECT_EQ(text.str().size(), 8u + 4 + 26 + 4);
}

TEST(EventFile, ScalarsAreReadBack) {
  const Scratch scratch;
  EventFile file(scratch.path() / "runs" / "first", 1700000000.75);
  EXPECT_EQ(file.path().filename(), "events.out.tfevents.1700000000.local.fgnn");
  file.scalar("loss/train", 1, 0.5, 1700000001.25);
  file.scalar("größe", INT64_MAX, -1e30, 1700000002);
  file.scalar("", -1, std::nan(""), 0);
  file.scalar(std::string(300, 'x'), 128, 1e300, 1);
  file.flush();
  const std::vector<Event> events = events_of(file.path());
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_EQ(events[0].wall_time, 1700000000.75);
  EXPECT_EQ(events[0].step, 0);
  EXPECT_EQ(events[1].tag, "loss/train");
  EXPECT_EQ(events[1].step, 1);
  EXPECT_EQ(events[1].value, 0.5f);
  EXPECT_EQ(events[1].wall_time, 1700000001.25);
  EXPECT_EQ(events[2].tag, "größe");
  EXPECT_EQ(events[2].step, INT64_MAX);
  EXPECT_EQ(events[2].value, -1e30f);
  EXPECT_EQ(events[3].step, -1);
  EXPECT_TRUE(std::isnan(events[3].value));
  EXPECT_EQ(events[4].tag, std::string(300, 'x'));
  EXPECT_TRUE(std::isinf(events[4].value));
}

RC_GTEST_PROP(EventFile, AnyScalarsAreReadBack, ()) {
  using Scalar = std::tuple<std::string, std::int64_t, float>;
  const auto scalars = *rc::gen::arbitrary<std::vector<Scalar>>();
  const Scratch scratch;
  fs::path path;
  {
    EventFile file(scratch.path());
    path = file.path();
    for (const auto& [tag, step, value] : scalars) file.scalar(tag, step, value);
  }
  const std::vector<Event> events = events_of(path);
  RC_ASSERT(events.size() == scalars.size() + 1);
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    RC_ASSERT(std::tuple(events[i + 1].tag, events[i + 1].step, events[i + 1].value) == scalars[i]);
  }
}

TEST(EventFile, MuchIsWrittenWithoutBeingAsked) {
  const Scratch scratch;
  EventFile file(scratch.path());
  for (int i = 0; i < 3000; ++i) file.scalar("loss", i, i);
  const std::size_t early = events_of(file.path()).size();
  EXPECT_GT(early, 1000u) << "whole records";
  EXPECT_LT(early, 3001u);
  file.flush();
  EXPECT_EQ(events_of(file.path()).size(), 3001u);
}

TEST(EventFile, EveryRunHasItsOwnFile) {
  const Scratch scratch;
  EventFile first(scratch.path(), 100.5), second(scratch.path(), 100.9);
  first.scalar("a", 1, 1);
  second.scalar("b", 2, 2);
  first.flush();
  second.flush();
  EXPECT_EQ(second.path().filename(), "events.out.tfevents.101.local.fgnn");
  EXPECT_EQ(events_of(first.path()).at(1).tag, "a");
  EXPECT_EQ(events_of(second.path()).at(1).tag, "b");
}

TEST(EventFile, MayBeMoved) {
  const Scratch scratch;
  EventFile first(scratch.path());
  first.scalar("a", 1, 1);
  const fs::path path = first.path();
  { const EventFile second(std::move(first)); }
  EXPECT_EQ(events_of(path).size(), 2u);
}

TEST(EventFile, WhatCannotBeWrittenIsNamed) {
  const Scratch scratch;
  std::ofstream(scratch.path() / "file") << "x";
  expect_error(ErrorCode::io, (scratch.path() / "file").string() + ": cannot be written: Not a",
               [&] { EventFile(scratch.path() / "file"); });
  expect_error(ErrorCode::io, "inner: cannot be written: Not a directory",
               [&] { EventFile(scratch.path() / "file" / "inner"); });
}

}  // namespace
}  // namespace fgnn
