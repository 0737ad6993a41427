// JSON out, read back by an independent parser.
#include "isa/support/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace txvm::isa {
namespace {

using Parsed = nlohmann::ordered_json;

TEST(JsonWriter, WritesNestedValuesWithStableSeparators) {
  JsonWriter json;
  json.BeginObject();
  json.Key("a").BeginArray().Int(-1).Uint(2).Null().Bool(true).EndArray();
  json.Key("b").BeginObject().EndObject();
  json.Key("c").Number(0.5).Key("d").StringOrNull("").Key("e").String("x");
  json.EndObject();
  EXPECT_EQ(json.text(), R"({"a": [-1, 2, null, true], "b": {}, "c": 0.5, "d": null, "e": "x"})");
}

TEST(JsonWriter, WritesExtremesExactly) {
  JsonWriter json;
  json.BeginArray();
  json.Int(std::numeric_limits<std::int64_t>::min());
  json.Uint(std::numeric_limits<std::uint64_t>::max());
  json.Number(std::nan("")).Number(HUGE_VAL);
  json.EndArray();
  EXPECT_EQ(json.text(), "[-9223372036854775808, 18446744073709551615, null, null]");
}

TEST(JsonWriter, AnyBytesGiveAValidString) {
  std::mt19937 random(7);
  for (int i = 0; i < 2'000; ++i) {
    std::string text;
    for (std::size_t n = random() % 12; n != 0; --n) {
      // Lead and continuation bytes are frequent, so that truncated sequences are.
      text.push_back(static_cast<char>(random() % 3 == 0 ? random() % 256 : 0xC0 + random() % 56));
    }
    JsonWriter json;
    json.String(text);
    EXPECT_TRUE(Parsed::accept(json.text())) << json.text();
  }
}

TEST(JsonWriter, KeepsWellFormedUtf8) {
  const std::string text = "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \t\n\x01\x7F\"\\";
  JsonWriter json;
  json.String(text);
  EXPECT_EQ(Parsed::parse(json.text()).get<std::string>(), text);
}

}  // namespace
}  // namespace txvm::isa
