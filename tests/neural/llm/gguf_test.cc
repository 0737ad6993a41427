// GGUF: what is written is read; what is wrong is named.
#include "neural/llm/gguf.h"

#include <gtest/gtest.h>

#include <cstring>

namespace txvm::neural::llm {
namespace {

std::span<const std::uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string ErrorOf(const std::string& file) {
  const auto gguf = ReadGguf(Bytes(file));
  return gguf ? "accepted" : gguf.error().message;
}

template <typename T>
std::string Raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}
std::string RawText(std::string_view text) {
  return Raw<std::uint64_t>(text.size()) + std::string(text);
}

/// Magic, version and counts.
std::string Head(std::uint64_t tensors, std::uint64_t values, std::uint32_t version = 3) {
  return "GGUF" + Raw(version) + Raw(tensors) + Raw(values);
}
std::string TensorInfo(std::string_view name, std::vector<std::uint64_t> file_shape,
                       std::uint32_t type, std::uint64_t offset) {
  std::string text = RawText(name) + Raw(static_cast<std::uint32_t>(file_shape.size()));
  for (const std::uint64_t size : file_shape) text += Raw(size);
  return text + Raw(type) + Raw(offset);
}
std::string Padded(std::string text, std::size_t data) {
  text.resize((text.size() + 31) / 32 * 32);
  return text + std::string(data, '\1');
}

TEST(Gguf, WhatIsWrittenIsRead) {
  GgufHeader header;
  const std::vector<std::string_view> texts = {"a", "", "\xE2\x96\x81the"};
  const std::vector<float> reals = {0, -1.5f};
  const std::vector<std::int32_t> integers = {1, -2, 3};
  header.Add("text", std::string_view("value"));
  header.Add("count", std::uint32_t{4'000'000'000});
  header.Add("real", 1e-5f);
  header.Add("flag", true);
  header.Add("texts", texts);
  header.Add("reals", reals);
  header.Add("integers", integers);
  const std::vector<std::uint8_t> data(48, 7);
  const std::vector<GgufTensor> tensors = {{"t", Element::kF32, {3, 4}, data}};
  const std::string file = header.Bytes(tensors) + std::string(data.begin(), data.end());
  const auto gguf = ReadGguf(Bytes(file));
  ASSERT_TRUE(gguf) << gguf.error().message;
  EXPECT_EQ(gguf->Find("text")->Text(), "value");
  EXPECT_EQ(gguf->Find("count")->Unsigned(), 4'000'000'000u);
  EXPECT_EQ(gguf->Find("real")->Real(), 1e-5f);
  EXPECT_EQ(gguf->Find("flag")->Bool(), true);
  EXPECT_EQ(gguf->Find("texts")->Texts(), texts);
  EXPECT_EQ(gguf->Find("reals")->Reals(), (std::vector<double>{0, -1.5}));
  EXPECT_EQ(gguf->Find("integers")->Integers(), (std::vector<std::int64_t>{1, -2, 3}));
  EXPECT_FALSE(gguf->Find("text")->Unsigned());
  EXPECT_FALSE(gguf->Find("integers")->Texts());
  EXPECT_EQ(gguf->Find("none"), nullptr);
  ASSERT_EQ(gguf->tensors.size(), 1u);
  EXPECT_EQ(gguf->tensors[0].shape, (std::vector<std::size_t>{3, 4}));
  EXPECT_TRUE(std::ranges::equal(gguf->tensors[0].bytes, data));
}

TEST(Gguf, VersionTwoIsRead) { EXPECT_EQ(ErrorOf(Padded(Head(0, 0, 2), 0)), "accepted"); }

TEST(Gguf, WrongFilesAreRefusedByName) {
  EXPECT_EQ(ErrorOf("GGU"),
            "GGUF: the file's first word of 4 bytes at byte 0 leaves the file of 3");
  EXPECT_EQ(ErrorOf("GGML12345678"), "GGUF: the file does not begin with GGUF");
  EXPECT_EQ(ErrorOf(Head(0, 0, 1)), "GGUF: version 1, 2 and 3 are supported");
  EXPECT_EQ(ErrorOf(Head(0, 0, 0)), "GGUF: version 0, 2 and 3 are supported");
  EXPECT_EQ(ErrorOf(Head(0, 0, 3u << 24)), "GGUF: a big-endian file, little-endian is supported");
  EXPECT_EQ(ErrorOf(Head(0, 1) + RawText("k") + Raw(13u)),
            "GGUF: value type 13 at byte 37, at most 12");
  EXPECT_EQ(ErrorOf(Head(0, 1) + Raw(~std::uint64_t{0})),
            "GGUF: a key of 18446744073709551615 bytes at byte 32 leaves the file of 32");
  EXPECT_EQ(ErrorOf(Head(0, 1) + RawText("k") + Raw(9u) + Raw(4u) + Raw(std::uint64_t{1} << 62)),
            "GGUF: array of 4611686018427387904 items at byte 49 leaves the file");
  std::string nested = Head(0, 1) + RawText("k") + Raw(9u);
  for (int i = 0; i < 10; ++i) nested += Raw(9u) + Raw(std::uint64_t{1});
  EXPECT_EQ(ErrorOf(nested), "GGUF: arrays nested too deeply");
  EXPECT_EQ(ErrorOf(Head(~std::uint64_t{0}, 0)),
            "GGUF: a tensor name of 8 bytes at byte 24 leaves the file of 24");
}

TEST(Gguf, TruthValuesAreNoNumbers) {
  const std::uint8_t bytes[3] = {1, 0, 1};
  const GgufValue one{GgufType::kBool, GgufType::kU8, 1, std::span(bytes).first(1)};
  EXPECT_FALSE(one.Real());
  const GgufValue list{GgufType::kArray, GgufType::kBool, 3, bytes};
  EXPECT_FALSE(list.Reals());
  EXPECT_FALSE(list.Integers());
}

TEST(Gguf, WrongTensorsAreRefusedByName) {
  const auto one = [](const std::string& info, std::size_t data) {
    return ErrorOf(Padded(Head(1, 0) + info, data));
  };
  EXPECT_EQ(one(TensorInfo("t", {4, 3}, 0, 0), 48), "accepted");
  EXPECT_EQ(one(TensorInfo("t", {4, 3}, 0, 0), 47),
            "GGUF: tensor 't' at 0 of 48 bytes leaves the data of 47");
  EXPECT_EQ(one(TensorInfo("t", {4, 3}, 0, 32), 48),
            "GGUF: tensor 't' at 32 of 48 bytes leaves the data of 48");
  EXPECT_EQ(one(TensorInfo("t", {4, 3}, 0, 4), 64),
            "GGUF: tensor 't' at 4 is misplaced: alignment 32, previous end 0");
  EXPECT_EQ(one(TensorInfo("t", {std::uint64_t{1} << 33, std::uint64_t{1} << 33}, 0, 0), 48),
            "GGUF: tensor 't' has a shape beyond any file");
  EXPECT_EQ(one(TensorInfo("t", {4, 3}, 10, 0), 48),
            "GGUF: tensor 't' has unsupported element type 10");
  EXPECT_EQ(one(TensorInfo("t", {48, 1}, 8, 0), 48),
            "GGUF: tensor 't' has rows of 48 elements, Q8_0 needs a multiple of 32");
  EXPECT_EQ(one(TensorInfo("t", {1, 1, 1, 1, 1}, 0, 0), 48),
            "GGUF: tensor 't' has 5 dimensions, at most 4");
  const std::string twice = TensorInfo("t", {8}, 0, 0) + TensorInfo("t", {8}, 0, 32);
  EXPECT_EQ(ErrorOf(Padded(Head(2, 0) + twice, 64)), "GGUF: tensor 't' appears twice");
  const std::string overlap = TensorInfo("t", {16}, 0, 0) + TensorInfo("u", {8}, 0, 32);
  EXPECT_EQ(ErrorOf(Padded(Head(2, 0) + overlap, 64)),
            "GGUF: tensor 'u' at 32 is misplaced: alignment 32, previous end 64");
  EXPECT_EQ(ErrorOf(Padded(Head(1, 1) + RawText("general.alignment") + Raw(4u) + Raw(24u) +
                               TensorInfo("t", {4}, 0, 0),
                           64)),
            "GGUF: general.alignment 24 is no power of two up to 1048576");
}

}  // namespace
}  // namespace txvm::neural::llm
