#include "fgnn/io/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>

#include "fuzz/properties.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::Scratch;

TensorFile parse(std::string_view text) {
  return parse_safetensors(std::as_bytes(std::span(text)), "file");
}

std::string framed(const std::string& header, const std::string& data = {}) {
  std::uint64_t length = header.size();
  std::string text(8, '\0');
  std::memcpy(text.data(), &length, 8);
  return text + header + data;
}

// A header of one tensor 'a' with these fields.
std::string tensor_a(const std::string& fields) { return "{\"a\":{" + fields + "}}"; }

void expect_same(const TensorFile& again, const TensorFile& file) {
  EXPECT_EQ(again.metadata, file.metadata);
  EXPECT_TRUE(again.tensors == file.tensors);
}

TEST(Safetensors, TheBytesAreThoseOfTheFormat) {
  TensorFile file;
  file.metadata["architecture"] = "\"two\"";
  file.add("w", {2, 1}, std::vector<float>{1, -2});
  file.add("n", {}, std::vector<std::uint8_t>{7});
  file.add_half("h", {1}, std::vector<float>{-1.5f});
  using namespace std::string_literals;
  const std::string bytes =
      "\xd0\0\0\0\0\0\0\0"
      "{\"__metadata__\":{\"architecture\":\"\\\"two\\\"\"},"
      "\"w\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"
      "\"n\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[8,9]},"
      "\"h\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[9,11]}}     "
      "\0\0\x80\x3f\0\0\0\xc0"
      "\x07"
      "\0\xbe"s;
  EXPECT_EQ(serialize_safetensors(file), bytes);
  expect_same(parse(bytes), file);
}

TEST(Safetensors, EveryTypeSurvivesAFile) {
  const Scratch scratch;
  const fs::path path = scratch.path() / "model.safetensors";
  using Limits = std::numeric_limits<double>;
  TensorFile file;
  file.metadata = {{"", "empty"}, {"note", "zwei\nZeilen, \"ü\" und \\"}, {"zero", {"\0", 1}}};
  file.add_half("half", {3}, std::vector<float>{65504, -0.0f, 1e-7f});
  file.add("float", {1, 1, 2}, std::vector<float>{std::nanf("3"), 1e-45f});
  file.add("double", {2}, std::vector<double>{Limits::infinity(), Limits::denorm_min()});
  file.add("int", {2}, std::vector<std::int32_t>{INT32_MIN, INT32_MAX});
  file.add("long", {2}, std::vector<std::int64_t>{INT64_MIN, INT64_MAX});
  file.add("byte", {3}, std::vector<std::uint8_t>{0, 10, 255});
  file.add("none", {0, 5}, std::span<const double>());
  file.add("", {1}, std::vector<double>{1});
  write_safetensors(path, file);
  const TensorFile again = read_safetensors(path);
  expect_same(again, file);
  EXPECT_EQ(again.file, path.string());
  EXPECT_EQ(fs::file_size(path), serialize_safetensors(file).size());
}

TEST(Safetensors, AFileOfNothing) {
  EXPECT_EQ(serialize_safetensors({}), framed("{}      "));
  EXPECT_TRUE(parse(framed("{}")).tensors.empty());
  EXPECT_TRUE(parse(framed("{ } \n")).metadata.empty());
  EXPECT_TRUE(parse(framed("{\"__metadata__\":{}}")).metadata.empty());
}

TEST(Safetensors, TensorsComeInTheOrderOfTheirData) {
  const TensorFile file =
      parse(framed("{\"b\":{\"shape\":[2],\"data_offsets\":[1,3],\"dtype\":\"U8\"},"
                   "\"z\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[1,1]},"
                   "\"\\u0061\":{\"data_offsets\":[0,1],\"dtype\":\"U8\",\"shape\":[1,1]}}",
                   "xyz"));
  ASSERT_EQ(file.tensors.size(), 3u);
  EXPECT_EQ(file.tensors[0].name, "a");
  EXPECT_EQ(file.tensors[1].name, "z");
  EXPECT_EQ(file.tensors[2].name, "b");
  EXPECT_THAT(as_int64(file.at("b")), ::testing::ElementsAre('y', 'z'));
}

struct Hostile {
  std::string bytes, error;
};

void expect_refused(const std::vector<Hostile>& cases) {
  for (const Hostile& hostile : cases) {
    SCOPED_TRACE(hostile.bytes.substr(0, 200));
    expect_error(ErrorCode::format, "file: " + hostile.error, [&] { parse(hostile.bytes); });
  }
}

TEST(Safetensors, HeadersThatAreNoneAreRefused) {
  using namespace std::string_literals;
  expect_refused({
      {"", "has 0 bytes, the length of a header takes 8"},
      {"1234567", "has 7 bytes"},
      {"\0\0\0\0\0\0\0\0"s, "the header does not begin with '{'; is this a safetensors file?"},
      {"\3\0\0\0\0\0\0\0{}"s, "declares a header of 3 bytes, 2 follow; the file is cut off"},
      {"PK\3\4\x14\0\0\0\x08\x08"s, "declares a header of 85966670672 bytes, the limit is"},
      {std::string(8, '\xff') + "{}", "declares a header of 18446744073709551615 bytes, the limit"},
      {"\1\xe1\xf5\5\0\0\0\0{}"s, "declares a header of 100000001 bytes, the limit is 100000000"},
      {"\0\xe1\xf5\5\0\0\0\0{}"s, "declares a header of 100000000 bytes, 2 follow"},
      {framed(" {}"), "the header does not begin with '{'"},
      {framed("\xef\xbb\xbf{}"), "the header does not begin with '{'"},
      {framed("[]"), "the header does not begin with '{'"},
      {framed("{"), "the header is not JSON at its byte 2"},
      {framed("{}{"), "the header is not JSON at its byte 3"},
      {framed("{}\0"s), "the header is not JSON at its byte 3"},
      {framed("{\"a\0\":1}"s), "the header is not JSON at its byte 4"},
      {framed("{\"a\n\":1}"), "the header is not JSON at its byte 4"},
      {framed("{\"\xff\":1}"), "the header is not JSON at its byte 3"},
      {framed("{\"\\ud800\":1}"), "the header is not JSON at its byte 9"},
      {framed("{\"a\":{\"shape\":[1e999]}}"), "the header is not JSON at its byte 20"},
      {framed("{}", "x"), "1 bytes after the last tensor"},
  });
}

TEST(Safetensors, HeadersOfAnotherShapeAreRefused) {
  const std::string whole = "\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]";
  expect_refused({
      {framed("{\"a\":1}"), "tensor 'a': expected an object, found a number"},
      {framed("{\"a\":-1}"), "tensor 'a': expected an object, found a number"},
      {framed("{\"a\":[]}"), "tensor 'a': expected an object, found a list"},
      {framed("{\"a\\n\":\"b\"}"), "tensor 'a\\x0a': expected an object, found a text"},
      {framed("{\"__metadata__\":null}"), "__metadata__: expected an object, found null"},
      {framed("{\"__metadata__\":{\"k\":1}}"), "metadata 'k': expected a text, found a number"},
      {framed("{\"__metadata__\":{\"k\":{}}}"), "metadata 'k': expected a text, found an object"},
      {framed("{\"__metadata__\":{\"k\":true}}"), "metadata 'k': expected a text, found a truth"},
      {framed("{\"__metadata__\":{\"k\":\"\",\"k\":\"\"}}"), "metadata 'k': appears twice"},
      {framed("{\"__metadata__\":{},\"__metadata__\":{}}"), "__metadata__: appears twice"},
      {framed("{\"a\":{" + whole + "},\"\\u0061\":{}}", "x"), "tensor 'a': appears twice"},
      {framed("{\"a\":{}}"), "tensor 'a': dtype is missing"},
      {framed(tensor_a("\"dtype\":\"U8\",\"shape\":[]")), "tensor 'a': data_offsets is missing"},
      {framed(tensor_a("\"dtype\":\"U8\",\"data_offsets\":[0,0]")), "tensor 'a': shape is missing"},
      {framed(tensor_a(whole + ",\"shape\":[1]"), "x"), "tensor 'a': shape appears twice"},
      {framed(tensor_a("\"strides\":[1]")), "tensor 'a': the field 'strides' is unknown"},
      {framed(tensor_a("\"dtype\":3")), "tensor 'a': expected a text as dtype, found a number"},
      {framed(tensor_a("\"shape\":3")), "tensor 'a': expected a list as shape, found a number"},
      {framed(tensor_a("\"shape\":{}")), "tensor 'a': expected a list as shape, found an object"},
      {framed(tensor_a("\"dtype\":[]")), "tensor 'a': expected a text as dtype, found a list"},
      {framed(tensor_a("\"shape\":[[1]]")),
       "tensor 'a': expected a whole number in shape, found a"},
      {framed(tensor_a("\"shape\":[\"1\"]")),
       "tensor 'a': expected a whole number in shape, found"},
      {framed(tensor_a("\"shape\":[1.0]")),
       "tensor 'a': expected a whole number in shape, found "
       "the number '1.0'"},
      {framed(tensor_a("\"dtype\":\"BF16\"")),
       "tensor 'a': the dtype 'BF16' is unknown; known are "
       "F16, F32, F64, I32, I64, U8"},
  });
}

TEST(Safetensors, PlacesAndSizesThatDoNotFitAreRefused) {
  const auto a = [](const std::string& dtype, const std::string& shape,
                    const std::string& offsets) {
    return tensor_a("\"dtype\":\"" + dtype + "\",\"shape\":[" + shape + "],\"data_offsets\":[" +
                    offsets + "]");
  };
  const auto two = [](const std::string& second) {
    return "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
           "\"b\":{\"dtype\":\"U8\"," +
           second + "}}";
  };
  std::string ones = "1";
  for (int i = 0; i < 64; ++i) ones += ",1";
  expect_refused({
      {framed(a("U8", "-1", "0,0")), "tensor 'a': -1 in shape is negative"},
      {framed(a("U8", "1", "-1,0")), "tensor 'a': -1 in data_offsets is negative"},
      {framed(a("U8", "9223372036854775808", "0,0")),
       "tensor 'a': 9223372036854775808 in shape is"},
      {framed(a("U8", "18446744073709551616", "0,0")),
       "tensor 'a': expected a whole number in shap"},
      {framed(a("U8", "0", "0,9223372036854775808")),
       "tensor 'a': 9223372036854775808 in data_off"},
      {framed(a("F32", "4294967296,4294967296", "0,0")),
       "tensor 'a': a shape of more than 2^63 by"},
      {framed(a("F32", "0,4294967296,4294967296", "0,0")), "tensor 'a': a shape of more than 2^63"},
      {framed(a("F64", "2305843009213693952", "0,0")),
       "tensor 'a': a shape of more than 2^63 bytes"},
      {framed(a("U8", ones, "0,1"), "x"), "tensor 'a': more than 64 numbers in shape"},
      {framed(a("U8", "1", "0")), "tensor 'a': 1 data_offsets, not 2"},
      {framed(a("U8", "1", "0,1,1")), "tensor 'a': 3 data_offsets, not 2"},
      {framed(a("U8", "0", "1,0"), "x"), "tensor 'a': data_offsets run backwards, from 1 to 0"},
      {framed(a("U8", "4", "0,4"), "xyz"),
       "tensor 'a': ends at byte 4 of the data, which has 3; the file is cut off or damaged"},
      {framed(a("U8", "1000000000000", "0,1000000000000")), "tensor 'a': ends at byte 10000000000"},
      {framed(a("F16", "2", "0,3"), "xyz"),
       "tensor 'a': shape and dtype make 4 bytes, data_offset"},
      {framed(a("U8", "", "0,0")), "tensor 'a': shape and dtype make 1 bytes, data_offsets 0"},
      {framed(a("U8", "1", "1,2"), "xy"),
       "tensor 'a': begins at byte 1 of the data, the one before "
       "it ends at 0"},
      {framed(two("\"shape\":[1],\"data_offsets\":[3,4]"), "wxyz"), "tensor 'b': begins at byte 3"},
      {framed(two("\"shape\":[2],\"data_offsets\":[1,3]"), "xyz"), "tensor 'b': begins at byte 1"},
      {framed(two("\"shape\":[2],\"data_offsets\":[0,2]"), "xy"), "tensor 'b': begins at byte 0"},
      {framed(two("\"shape\":[0],\"data_offsets\":[1,1]"), "xy"), "tensor 'b': begins at byte 1"},
      {framed(two("\"shape\":[1],\"data_offsets\":[2,3]"), "wxyz"),
       "1 bytes after the last tensor"},
  });
}

TEST(Safetensors, DepthCostsNothing) {
  const std::string deep(1 << 20, '[');
  expect_refused({{framed("{\"a\":" + deep), "tensor 'a': expected an object, found a list"},
                  {framed("{\"__metadata__\":{\"k\":" + deep), "metadata 'k': expected a text"},
                  {framed(tensor_a("\"shape\":" + deep)), "tensor 'a': expected a whole number"}});
  std::string objects;
  for (int i = 0; i < 1 << 18; ++i) objects += "{\"a\":";
  expect_refused({{framed(objects), "tensor 'a': the field 'a' is unknown"}});
}

TEST(Safetensors, WhatTheFormatCannotHoldIsNotWritten) {
  const Scratch scratch;
  const fs::path path = scratch.path() / "model.safetensors";
  TensorFile good;
  good.add("a", {1}, std::vector<float>{1});
  write_safetensors(path, good);
  const auto refused = [&](const std::string& error, auto&& spoil) {
    TensorFile file = good;
    spoil(file);
    expect_error(ErrorCode::unsupported, error, [&] { serialize_safetensors(file); });
    expect_error(ErrorCode::unsupported, error, [&] { write_safetensors(path, file); });
  };
  refused("tensor 'a': the name is taken", [](auto& f) { f.tensors.push_back(f.tensors[0]); });
  refused("tensor '__metadata__': the name is taken",
          [](auto& f) { f.tensors[0].name = "__metadata__"; });
  refused("tensor '\\xff': '\\xff' is not UTF-8", [](auto& f) { f.tensors[0].name = "\xff"; });
  refused("metadata 'k': '\\xc3' is not UTF-8", [](auto& f) { f.metadata["k"] = "\xc3"; });
  refused("tensor 'a': 4 bytes do not fill the shape [2] of F32",
          [](auto& f) { f.tensors[0].shape = {2}; });
  refused("tensor 'a': 4 bytes do not fill the shape [-1] of F32",
          [](auto& f) { f.tensors[0].shape = {-1}; });
  expect_same(read_safetensors(path), good);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), fs::directory_iterator()), 1);
}

TEST(Safetensors, WhatCannotBeReadIsNamed) {
  const Scratch scratch;
  const fs::path file = scratch.path() / "a.safetensors";
  expect_error(ErrorCode::io, file.string() + ": cannot be read: No such file or directory",
               [&] { read_safetensors(file); });
  expect_error(ErrorCode::io, "cannot be read: Is a directory",
               [&] { read_safetensors(scratch.path()); });
  std::ofstream(file) << framed(tensor_a("\"dtype\":\"U7\""));
  expect_error(ErrorCode::format, file.string() + ": tensor 'a': the dtype 'U7' is unknown",
               [&] { read_safetensors(file); });
  expect_error(ErrorCode::io, "absent/b.safetensors: cannot be written: No such file",
               [&] { write_safetensors(scratch.path() / "absent" / "b.safetensors", {}); });
}

// Random files: names and remarks of awkward pieces, every type, shapes with zeros and ones.
rc::Gen<std::string> any_text() {
  const auto piece = rc::gen::element<std::string>("a", "b", ".", "\"", "\\", "\n", "/", "{", "}",
                                                   "é", "🙂", "\x7f", std::string(1, '\0'));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](const auto& pieces) {
    std::string text;
    for (const std::string& p : pieces) text += p;
    return text;
  });
}

TensorFile any_file() {
  TensorFile file;
  file.metadata = *rc::gen::container<std::map<std::string, std::string>>(any_text(), any_text());
  for (const std::string& name : *rc::gen::container<std::set<std::string>>(any_text())) {
    SavedTensor tensor{name, static_cast<DType>(*rc::gen::inRange(0, 6)), {}, {}};
    tensor.shape = *rc::gen::resize(
        4, rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 4)));
    const auto bytes = static_cast<std::size_t>(*bytes_of(tensor.dtype, tensor.shape));
    for (const auto byte : *rc::gen::container<std::vector<std::uint8_t>>(
             bytes, rc::gen::arbitrary<std::uint8_t>())) {
      tensor.data.push_back(std::byte{byte});
    }
    file.tensors.push_back(std::move(tensor));
  }
  return file;
}

RC_GTEST_PROP(SafetensorsProperty, WhatIsWrittenIsReadBack, ()) {
  const TensorFile file = any_file();
  const std::string text = serialize_safetensors(file);
  const TensorFile again = parse(text);
  RC_ASSERT(again.metadata == file.metadata);
  RC_ASSERT(again.tensors == file.tensors);
  RC_ASSERT((text.size() -
             [&] {
               std::size_t data = 0;
               for (const SavedTensor& tensor : file.tensors) data += tensor.data.size();
               return data;
             }()) %
                8 ==
            0u);
}

RC_GTEST_PROP(SafetensorsProperty, DamageIsAnErrorOrAnotherGoodFile, ()) {
  std::string text = serialize_safetensors(any_file());
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  }
  fuzzing::check_safetensors(text);
  fuzzing::check_safetensors(text.substr(0, *rc::gen::inRange<std::size_t>(0, text.size())));
}

}  // namespace
}  // namespace fgnn
