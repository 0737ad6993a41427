// What model files need of JSON and safetensors beyond the artefact's own files.
#include "isa/support/json.h"

#include <gtest/gtest.h>

#include "isa/support/safetensors.h"

namespace txvm::weights {
namespace {

TEST(ModelJson, FractionsAreReadWhereAskedFor) {
  const auto value = isa::ParseJson("[1.5, 1e-05, -2, 1e3]", {.fractions = true});
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(value->items[0].real, 1.5);
  EXPECT_EQ(value->items[1].real, 1e-5);
  EXPECT_EQ(value->items[2].integer, -2);
  EXPECT_EQ(value->items[2].real, -2);
  EXPECT_EQ(value->items[3].kind, isa::Json::Kind::kReal);
  for (const std::string_view text : {"1e999", "-1e999", ".5", "+1", "nan", "Infinity"}) {
    EXPECT_FALSE(isa::ParseJson(text, {.fractions = true})) << text;
  }
}

TEST(ModelJson, EscapesBecomeUtf8) {
  EXPECT_EQ(isa::ParseJson(R"("\u0120\u2581\ud83d\ude00")")->text,
            "\xC4\xA0\xE2\x96\x81\xF0\x9F\x98\x80");
  EXPECT_EQ(isa::ParseJson(R"("\ud83dx\ude00\ud83d\u0041")")->text,
            "\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD"
            "A");
  EXPECT_FALSE(isa::ParseJson(R"("\u12")"));
  EXPECT_FALSE(isa::ParseJson(R"("\ud83d\u12")"));
}

TEST(ModelJson, ValuesAreCounted) {
  EXPECT_TRUE(isa::ParseJson("[1,2]", {.most_values = 3}));
  EXPECT_EQ(isa::ParseJson("[1,2,3]", {.most_values = 3}).error().message,
            "JSON byte 5: more than 3 values");
}

TEST(ModelSafetensors, TensorsMayBeListedInAnyOrder) {
  const std::string header =
      R"({"b":{"dtype":"BF16","shape":[2],"data_offsets":[3,7]},"__metadata__":{"x":"y"},)"
      R"("a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})";
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size());
  file += header + "1234567";
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
  const auto entries = isa::ReadSafetensorsEntries(bytes);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].name, "a");
  EXPECT_EQ((*entries)[1].dtype, "BF16");
  EXPECT_EQ((*entries)[1].bytes[0], '4');
  EXPECT_EQ(isa::ReadSafetensorsEntries(bytes.first(file.size() - 1)).error().message,
            "safetensors tensor 'b': data_offsets 3..7 do not follow byte 3 of 6");
}

}  // namespace
}  // namespace txvm::weights
