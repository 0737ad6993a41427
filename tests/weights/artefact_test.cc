#include "weights/artefact.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "isa/support/json.h"
#include "isa/support/sha256.h"
#include "tests/support/random.h"
#include "tests/weights/model_run.h"
#include "weights/fold.h"

namespace txvm::weights {
namespace {

std::span<const std::uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::vector<std::uint8_t> FileOf(std::string_view header, std::string_view data) {
  std::vector<std::uint8_t> file(8);
  const std::uint64_t length = header.size();
  std::memcpy(file.data(), &length, file.size());
  for (const auto part : {header, data}) {
    file.insert(file.end(), part.begin(), part.end());
  }
  return file;
}

std::string MessageOf(std::string_view header, std::string_view data) {
  const auto read = isa::ReadSafetensors(FileOf(header, data));
  return read ? "accepted" : read.error().message;
}

TEST(Sha256, KnownDigests) {
  EXPECT_EQ(isa::Sha256(Bytes("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(isa::Sha256(Bytes("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(isa::Sha256(Bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Json, ReadsWhatItWrites) {
  const auto value =
      isa::ParseJson(R"( {"a": [1, -2, {"b": "x\"\\\u0041"}], "c": true, "d": null} )");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(value->Find("a")->items[1].integer, -2);
  EXPECT_EQ(value->Find("a")->items[2].Find("b")->text, "x\"\\A");
  EXPECT_EQ(value->Find("c")->integer, 1);
  EXPECT_EQ(isa::ParseJson(isa::JsonString("q\"\\\n"))->text.size(), 4u);
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const std::string_view text :
       {"", "{", "[1,", "[1 2]", "{\"a\"}", "{\"a\":}", "1.5", "1e3", "\"abc", "\"\\x\"", "[1]x",
        "tru", "99999999999999999999", "{1:2}", "\"\n\""}) {
    const auto value = isa::ParseJson(text);
    EXPECT_FALSE(value) << text;
  }
  EXPECT_EQ(isa::ParseJson(std::string(100'000, '[')).error().message,
            "JSON byte 17: nested too deeply");
}

TEST(Safetensors, RoundTrip) {
  const std::vector<isa::Tensor> tensors = {{"a", {2, 3}, {1, 2, 3, 4, 5, 6}},
                                            {"b.c", {1}, {-0.5f}},
                                            {"empty", {0, 4}, {}},
                                            {"as empty", {3, 0}, {}}};
  const auto read = isa::ReadSafetensors(isa::WriteSafetensors(tensors));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, tensors);
}

TEST(Safetensors, DamagedFilesAreRefusedByName) {
  EXPECT_EQ(isa::ReadSafetensors(Bytes("short")).error().message, "safetensors file of 5 bytes");
  EXPECT_EQ(isa::ReadSafetensors(Bytes("\xff\xff\xff\xff\xff\xff\xff\x7f{}")).error().message,
            "safetensors header of 9223372036854775807 bytes in a file of 10, at most 1048576");
  const std::string good = R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  EXPECT_EQ(MessageOf(good, "12345678"), "accepted");
  EXPECT_EQ(MessageOf(good, "1234567"),
            "safetensors tensor 't': data_offsets 0..8 do not follow byte 0 of 7");
  EXPECT_EQ(MessageOf(good, "123456789"), "safetensors data of 9 bytes, tensors cover 8");
  EXPECT_EQ(MessageOf(R"({"t":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "12345678"),
            "safetensors tensor 't': the shape exceeds the data");
  EXPECT_EQ(MessageOf(R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", "12345678"),
            "safetensors tensor 't': the shape does not fill the data");
  EXPECT_EQ(MessageOf(R"({"t":{"dtype":"F32","shape":[4294967296,4294967296,2],)"
                      R"("data_offsets":[0,8]}})",
                      "12345678"),
            "safetensors tensor 't': the shape exceeds the data");
  EXPECT_EQ(MessageOf(R"({"t":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}})", "12345678"),
            "safetensors tensor 't': dtype 'I64' with 1 dimensions, F32 with at most 4 is "
            "supported");
  EXPECT_EQ(MessageOf(R"({"t":{"dtype":"F32","shape":[-1],"data_offsets":[0,8]}})", "12345678"),
            "safetensors tensor 't': a shape or offset is not a size");
  EXPECT_EQ(MessageOf(R"({"t":{"shape":[1]}})", ""),
            "safetensors tensor 't': dtype, shape or data_offsets missing");
  EXPECT_EQ(MessageOf("[]", ""), "safetensors header is not an object");
  EXPECT_EQ(MessageOf("{\"t\"", ""), "safetensors header: JSON byte 4: expected ':'");
}

class ModelFiles : public testing::Test {
 protected:
  static void SetUpTestSuite() { tensors_ = new std::vector<isa::Tensor>(ToTensors(TheModel())); }
  static void TearDownTestSuite() { delete tensors_; }

  static isa::Result<Model> Read(const std::vector<isa::Tensor>& tensors) {
    const auto file = isa::WriteSafetensors(tensors);
    return FromFiles(ToConfig(TheModel(), isa::Sha256(file)), file);
  }
  static isa::Tensor& Named(std::vector<isa::Tensor>& tensors, std::string_view name) {
    for (isa::Tensor& tensor : tensors) {
      if (tensor.name == name) return tensor;
    }
    ADD_FAILURE() << name;
    return tensors.front();
  }

  static std::vector<isa::Tensor>* tensors_;
};

std::vector<isa::Tensor>* ModelFiles::tensors_ = nullptr;

TEST_F(ModelFiles, ImportGivesTheModelBack) {
  const auto model = Read(*tensors_);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(*model, TheModel());
}

TEST_F(ModelFiles, AConfigThatIsNoJsonIsRefusedByName) {
  EXPECT_EQ(FromFiles("{\"layers\"", {}).error().message, "config.json: JSON byte 9: expected ':'");
}

TEST_F(ModelFiles, ExportedFilesCanBeImported) {
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) / "txvm_artefact_test";
  ASSERT_TRUE(ExportModel(TheModel(), directory));
  const auto model = ImportModel(directory);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(*model, TheModel());
  std::filesystem::remove_all(directory);
  EXPECT_EQ(ImportModel(directory).error().code, isa::ErrorCode::kIo);
}

TEST_F(ModelFiles, FilesThatCannotBeAreNamedWithTheReason) {
  const auto written = ExportModel(TheModel(), "/dev/null/model");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, isa::ErrorCode::kHost);
  EXPECT_EQ(written.error().message,
            "cannot write /dev/null/model/model.safetensors: Not a directory");
  const auto read = ImportModel("/dev/null/model");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, isa::ErrorCode::kIo);
  EXPECT_EQ(read.error().message, "cannot read /dev/null/model/config.json: Not a directory");
}

TEST_F(ModelFiles, AnExportReplacesFilesAndDoesNotWriteIntoThem) {
  namespace fs = std::filesystem;
  const fs::path directory = fs::path(testing::TempDir()) / "txvm_replaced_export_test";
  fs::remove_all(directory);
  fs::create_directories(directory);
  constexpr std::uintmax_t kOldBytes = 3;
  for (const std::string_view name : {kTensorFile, kConfigFile}) {
    std::ofstream(directory / name) << "old";
    fs::create_hard_link(directory / name, directory / fmt::format("{}.kept", name));
  }
  ASSERT_TRUE(ExportModel(TheModel(), directory));
  for (const std::string_view name : {kTensorFile, kConfigFile}) {
    EXPECT_GT(fs::file_size(directory / name), kOldBytes) << name;
    EXPECT_EQ(fs::file_size(directory / fmt::format("{}.kept", name)), kOldBytes) << name;
  }
  fs::remove_all(directory);
}

TEST_F(ModelFiles, ADiskWithoutRoomIsNoted) {
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) / "txvm_full_disk_test";
  std::filesystem::create_directories(directory);
  std::filesystem::create_symlink("/dev/full", directory / kConfigFile);
  const auto written = ExportModel(TheModel(), directory);
  std::filesystem::remove_all(directory);
  ASSERT_FALSE(written);
  EXPECT_TRUE(written.error().message.ends_with("config.json: No space left on device"))
      << written.error().message;
}

TEST_F(ModelFiles, EditedWeightsAreReadAsTheyAre) {
  std::vector<isa::Tensor> tensors = *tensors_;
  float& bias = Named(tensors, "model.layers.0.self_attn.q_proj.bias").values[0];
  bias = 1;  // fetches the next instruction instead
  const auto model = Read(tensors);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->layers[0].heads[0].b_q[0], 1);
}

TEST_F(ModelFiles, WrongTensorsAreRefusedByName) {
  std::vector<isa::Tensor> tensors = *tensors_;
  Named(tensors, "lm_head.bias").values[3] = 0.5f;
  EXPECT_EQ(Read(tensors).error().message,
            "tensor 'lm_head.bias' element 3 is 0.5, must be an integer within +-1048576");
  tensors = *tensors_;
  Named(tensors, "lm_head.bias").name = "lm_head.other";
  EXPECT_EQ(Read(tensors).error().message, "tensor 'lm_head.bias' is missing");
  tensors = *tensors_;
  tensors.push_back({"extra.weight", {1}, {1}});
  EXPECT_EQ(Read(tensors).error().message, "tensor 'extra.weight' is not part of the model");
  tensors = *tensors_;
  isa::Tensor& bias = Named(tensors, "lm_head.bias");
  bias.shape = {bias.values.size() + 1};
  bias.values.push_back(0);
  EXPECT_EQ(Read(tensors).error().message,
            "tensor 'lm_head.bias' has shape (145), must have (144)");
}

TEST_F(ModelFiles, FoldedModelComesBackWithTheCodeItHolds) {
  isa::Program program;
  program.code = {isa::Instruction(isa::Opcode::kPush, 300), isa::Instruction(isa::Opcode::kHalt)};
  const auto folded = FoldProgram(TheModel(), program);
  ASSERT_TRUE(folded) << folded.error().message;
  const auto file = isa::WriteSafetensors(ToTensors(*folded));
  std::string config = ToConfig(*folded, isa::Sha256(file));
  const auto model = FromFiles(config, file);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(*model, *folded);
  EXPECT_EQ(model->folded->sha256, CodeSha256(program));
  EXPECT_TRUE(IsGenerated(*model, program));
  config.replace(config.find("code_sha256"), 4, "none");
  EXPECT_EQ(FromFiles(config, file).error().message, "config: 'folded' names no code_sha256");
}

TEST_F(ModelFiles, ProgramWithMoreLocalsThanTheLimitIsRefused) {
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) / "txvm_locals_test";
  isa::Program program;
  program.code = {isa::Instruction(isa::Opcode::kHalt)};
  program.functions = {{0, 0, 0, 0, 5'000'000, "main"}};
  const auto written = ExportProgram(TheModel(), program, {}, 0, {}, directory);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, isa::ErrorCode::kLimit);
  EXPECT_EQ(written.error().message,
            "0 globals and a largest frame of 5000000 locals exceed the limit of 4194304 local "
            "slots");
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST_F(ModelFiles, FileOfOtherWeightsIsRefused) {
  const auto file = isa::WriteSafetensors(*tensors_);
  const auto model = FromFiles(ToConfig(TheModel(), isa::Sha256(Bytes("other"))), file);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().message,
            "model.safetensors does not have the SHA-256 that config.json names");
}

TEST_F(ModelFiles, LanesOutsideFloat32AndSurplusHeadsAreRefused) {
  const auto file = isa::WriteSafetensors(*tensors_);
  const std::string config = ToConfig(TheModel(), isa::Sha256(file));
  const auto message = [&](const std::string& after, const std::string& more) {
    std::string changed = config;
    changed.replace(changed.find(after), after.size(), after + more);
    const auto model = FromFiles(changed, file);
    return model ? "accepted" : model.error().message;
  };
  for (const char* lane : {R"(["x",-9223372036854775808,0],)", R"(["x",0,16777216],)",
                           R"(["x","0",1],)", "[1,0,1],", R"(["x",1,0],)"}) {
    EXPECT_EQ(message("\"lanes\": [", lane), "config: lane 0 is not [name, low, high] within 2^24");
  }
  std::string wide = config;  // a run keeps what every token has for every value of a head
  wide.replace(wide.find("\"values\":13"), 11, "\"values\":19");
  EXPECT_EQ(FromFiles(wide, file).error().message,
            "config: head Fetch returns 19 values, at most 18");
  std::string heads;
  for (int i = 0; i < 9; ++i) heads += R"({"name":"Fetch","space":"code","values":1},)";
  EXPECT_EQ(message("\"heads\":[", heads).substr(0, 8), "config: ");
  EXPECT_NE(message("\"heads\":[", heads).find("heads in a layer, at most 9"), std::string::npos);
}

// Other readers go by what the config states beside the tensors.
TEST_F(ModelFiles, AConfigThatContradictsItsModelIsRefused) {
  const auto file = isa::WriteSafetensors(*tensors_);
  const std::string config = ToConfig(TheModel(), isa::Sha256(file));
  const auto message = [&](const std::string& key, const std::string& value) {
    std::string changed = config;
    const std::size_t at = changed.find("\"" + key + "\":") + key.size() + 3;
    changed.replace(at, changed.find_first_of(",}", at) - at, value);
    const auto model = FromFiles(changed, file);
    return model ? "accepted" : model.error().message;
  };
  EXPECT_EQ(message("hidden_size", " 688"), "accepted");
  EXPECT_EQ(message("hidden_size", "689"), "config: 'hidden_size' is not the model's 688");
  EXPECT_EQ(message("num_hidden_layers", "\"x\"").substr(0, 37),
            "config: 'num_hidden_layers' is not th");
  EXPECT_EQ(message("fields\": {\"ip", "1"), "config: 'ip' is not the model's 0");
  EXPECT_EQ(message("counted", "0").substr(0, 26), "config: 'counted' is not t");
}

TEST_F(ModelFiles, FilesWithoutEndAreRefused) {
  if (!std::filesystem::exists("/dev/zero")) GTEST_SKIP() << "no /dev/zero here";
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) / "txvm_endless_test";
  std::filesystem::create_directories(directory);
  std::filesystem::create_symlink("/dev/zero", directory / "config.json");
  const auto model = ImportModel(directory);
  std::filesystem::remove_all(directory);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, isa::ErrorCode::kCorrupt);
  EXPECT_NE(model.error().message.find("config.json has more than"), std::string::npos);
}

TEST_F(ModelFiles, DamagedConfigsAreRefused) {
  const auto file = isa::WriteSafetensors(*tensors_);
  const std::string config = ToConfig(TheModel(), isa::Sha256(file));
  support::Random random(7);
  constexpr int kTrials = 30;
  for (int i = 0; i < kTrials; ++i) {
    // A cut config is never a whole value.
    const auto cut = config.substr(0, random.Below(static_cast<std::uint32_t>(config.size() - 2)));
    EXPECT_FALSE(FromFiles(cut, file)) << cut.size();
  }
}

TEST_F(ModelFiles, ErrorsAreToldWithTheDirectory) {
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) / "txvm_truncated_test";
  ASSERT_TRUE(ExportModel(TheModel(), directory));
  const std::filesystem::path tensors = directory / kTensorFile;
  std::filesystem::resize_file(tensors, std::filesystem::file_size(tensors) - 1);
  const auto truncated = ImportModel(directory);
  std::ofstream(directory / kConfigFile) << "{";
  const auto broken = ImportModel(directory);
  std::filesystem::remove_all(directory);
  ASSERT_FALSE(truncated);
  EXPECT_EQ(truncated.error().ToString(),
            directory.string() +
                ": error: model.safetensors does not have the SHA-256 that "
                "config.json names");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().ToString().starts_with(directory.string() +
                                                    ": error: config.json: JSON byte "))
      << broken.error().ToString();
}

}  // namespace
}  // namespace txvm::weights
