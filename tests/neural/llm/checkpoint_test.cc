// Checkpoints: what is opened, what is refused and how, and files damaged a thousand ways.
#include "neural/llm/checkpoint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "isa/support/safetensors.h"
#include "neural/llm/context.h"
#include "neural/llm/save.h"
#include "tests/neural/llm/allocation_watch.h"
#include "tests/neural/llm/damage.h"
#include "tests/neural/llm/random_model.h"

namespace txvm::neural::llm {
namespace {

constexpr int kDamages = 1000;

/// Opens, builds and, where that succeeds, runs one token. "" or the error.
std::string Try(const std::string& path) {
  const auto checkpoint = OpenCheckpoint(path);
  if (!checkpoint) return checkpoint.error().message;
  const auto model = BuildModel(*checkpoint);
  if (!model) return model.error().message;
  Workers workers(1);
  Context context(*model, workers);
  const auto fed = context.Feed(std::vector<Token>{1, 2});
  return fed ? "" : fed.error().message;
}

class Checkpoints : public testing::Test {
 protected:
  Checkpoints() : model_(RandomModel(SmallConfig(2, false), 1, Element::kBF16)) {
    EXPECT_TRUE(SaveSafetensors(*model_, folder_.path()));
    EXPECT_TRUE(SaveGguf(*model_, {}, gguf_));
    config_ = FileText(folder_ / "config.json");
    tensors_ = FileText(folder_ / "model.safetensors");
  }
  void EditConfig(std::string_view from, std::string_view to) {
    std::string text = config_;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    WriteText(folder_ / "config.json", text.replace(at, from.size(), to));
  }
  std::vector<isa::TensorEntry> Entries() const {
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(tensors_.data()), tensors_.size());
    return *isa::ReadSafetensorsEntries(bytes);
  }
  void WriteEntries(const std::vector<isa::TensorEntry>& entries, const std::string& name,
                    std::size_t shift = 0) const {
    std::string file = isa::SafetensorsHeader(entries);
    if (shift != 0) {  // a longer header moves the data off its alignment
      file.insert(file.size(), shift, ' ');
      file[0] = static_cast<char>(file[0] + static_cast<char>(shift));
    }
    for (const auto& entry : entries) file.append(entry.bytes.begin(), entry.bytes.end());
    WriteText(folder_ / name, file);
  }

  TemporaryFolder folder_;
  std::string gguf_ = folder_ / "model.gguf";
  std::shared_ptr<Model> model_;
  std::string config_, tensors_;
};

TEST_F(Checkpoints, FoldersAndFilesOfEveryKindOpen) {
  EXPECT_EQ(Try(folder_.path()), "");
  EXPECT_EQ(Try(folder_ / "model.safetensors"), "");
  EXPECT_EQ(Try(gguf_), "");
  EXPECT_EQ(Try(folder_ / "none"),
            "cannot read '" + (folder_ / "none") + "': No such file or directory");
  EXPECT_EQ(Try(folder_ / "config.json"),
            "'" + (folder_ / "config.json") + "': GGUF: the file does not begin with GGUF");
}

// A folder may hold several models, each a file of its own.
TEST_F(Checkpoints, AFolderWithoutTheUsualNameSaysWhatItHas) {
  std::filesystem::rename(folder_ / "model.safetensors", folder_ / "b\x1b.safetensors");
  std::filesystem::rename(gguf_, folder_ / "a.gguf");
  EXPECT_EQ(Try(folder_.path()), "'" + folder_.path() +
                                     "' has no model.safetensors: give one of its files, a.gguf, "
                                     "b\\1b.safetensors");
}

TEST_F(Checkpoints, PickledWeightsAreRefusedByName) {
  const auto refused = [](const std::string& path) {
    return "'" + path + "' holds pickled weights, safetensors and GGUF are read";
  };
  const std::string file = folder_ / "pytorch_model.bin";
  WriteText(file, std::string("PK\x03\x04") + "model/data.pkl");
  EXPECT_EQ(Try(file), refused(file));
  EXPECT_EQ(Try(folder_.path()), "");  // of both the safetensors
  std::filesystem::remove(folder_ / "model.safetensors");
  EXPECT_EQ(Try(folder_.path()), refused(file));
  std::filesystem::rename(file, file + ".index.json");
  EXPECT_EQ(Try(folder_.path()), refused(file + ".index.json"));
}

TEST_F(Checkpoints, APartOfAGgufIsRefusedByName) {
  for (const std::uint32_t parts : {1u, 3u}) {
    GgufHeader split;
    split.Add("split.no", 0u);
    split.Add("split.count", parts);
    ASSERT_TRUE(SaveGguf(*model_, std::move(split), gguf_));
    EXPECT_EQ(Try(gguf_), parts == 1 ? ""
                                     : "'" + gguf_ +
                                           "': GGUF: part 1 of the 3 files of a model, "
                                           "which are to be merged first");
  }
}

TEST_F(Checkpoints, ShardsAreOneModel) {
  auto entries = Entries();
  const std::vector first(entries.begin(), entries.begin() + 7);
  const std::vector second(entries.begin() + 7, entries.end());
  WriteEntries(first, "model-1.safetensors");
  WriteEntries(second, "model-2.safetensors");
  std::string map = R"({"metadata": {"total_size": 1.5e3}, "weight_map": {)";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    map += (i == 0 ? "\"" : ", \"") + entries[i].name + "\": \"model-" + (i < 7 ? "1" : "2") +
           ".safetensors\"";
  }
  map += "}}";
  std::filesystem::remove(folder_ / "model.safetensors");
  const std::string index = folder_ / "model.safetensors.index.json";
  WriteText(index, map);
  EXPECT_EQ(Try(folder_.path()), "");
  EXPECT_EQ(Try(index), "");
  WriteText(index, R"({"weight_map": {"a": "../model-1.safetensors"}})");
  EXPECT_EQ(Try(index), "'" + index + "': tensor 'a' is in no file of the folder");
  WriteText(index, R"({"weight_map": {"a": "\u001b[31m"}})");
  EXPECT_EQ(Try(index), "'" + index + "': tensor 'a' is in no file of the folder");
  WriteText(index, R"({"weight_map": {"a": "model-1.safetensors"}})");
  EXPECT_EQ(Try(index), "'" + index + "': 'model-1.safetensors' holds no tensor 'a'");
  WriteText(index, R"({"weight_map": []})");
  EXPECT_EQ(Try(index), "'" + index + "' has no weight_map");
  WriteEntries(entries, "model.safetensors");
  EXPECT_EQ(Try(folder_.path()), "");  // of both the file
  std::filesystem::remove(folder_ / "model.safetensors");
  std::mt19937_64 random(5);
  int accepted = 0;
  for (int i = 0; i < kDamages; ++i) {
    WriteText(index, Damaged(map, map.size(), random));
    ResetLargestAllocation();
    accepted += Try(index).empty() ? 1 : 0;
    ASSERT_LT(LargestAllocation(), 1u << 20) << i;
  }
  EXPECT_LT(accepted, kDamages / 4);
}

/// What a file with these metadata says.
isa::Result<Config> ConfigOf(const GgufHeader& header) {
  const std::string file = header.Bytes({});
  TXVM_TRY(const Gguf gguf,
           ReadGguf({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()}));
  return ConfigFromGguf(gguf);
}

// rope.scaling.type and rope.scaling.factor are younger than rope.scale_linear.
TEST(GgufConfig, OlderKeysOfLinearScalingAreRead) {
  const auto read = [](const std::vector<std::pair<std::string, float>>& numbers,
                       std::string_view type) {
    GgufHeader header;
    header.Add("general.architecture", std::string_view("llama"));
    for (const auto& [key, value] : numbers) header.Add("llama.rope." + key, value);
    if (!type.empty()) header.Add("llama.rope.scaling.type", type);
    const auto config = ConfigOf(header);
    EXPECT_TRUE(config) << config.error().message;
    return std::pair(config->rope_scaling, config->rope_factor);
  };
  EXPECT_EQ(read({{"scale_linear", 4}}, ""), std::pair(RopeScaling::kLinear, 4.0));
  EXPECT_EQ(read({{"scaling.factor", 2}}, ""), std::pair(RopeScaling::kLinear, 2.0));
  EXPECT_EQ(read({{"scale_linear", 4}, {"scaling.factor", 2}}, "linear"),
            std::pair(RopeScaling::kLinear, 2.0));
  EXPECT_EQ(read({{"scale_linear", 4}}, "none").first, RopeScaling::kNone);
  EXPECT_EQ(read({{"scale_linear", 0}}, "").first, RopeScaling::kNone);
  EXPECT_EQ(read({}, "").first, RopeScaling::kNone);
}

TEST(GgufConfig, AWindowShorterThanTheLongestSequenceIsRefused) {
  const auto error = [](std::uint32_t window) {
    GgufHeader header;
    header.Add("general.architecture", std::string_view("llama"));
    header.Add("llama.context_length", 4096u);
    header.Add("llama.attention.sliding_window", window);
    const auto config = ConfigOf(header);
    return config ? "" : config.error().message;
  };
  EXPECT_EQ(error(64), "GGUF: a sliding window of 64 tokens in 4096 positions");
  EXPECT_EQ(error(4095), "GGUF: a sliding window of 4095 tokens in 4096 positions");
  EXPECT_EQ(error(4096), "");
  EXPECT_EQ(error(0), "");  // as ggml has it: none
}

TEST_F(Checkpoints, TensorsMustBeThoseOfTheConfiguration) {
  auto entries = Entries();
  auto without = entries;
  without.erase(without.begin() + 3);
  WriteEntries(without, "model.safetensors");
  EXPECT_EQ(Try(folder_.path()), "tensor '" + entries[3].name + "' is missing");
  auto renamed = entries;
  renamed.push_back({"model.layers.3.input_layernorm.weight", "F32", {0}, {}});
  WriteEntries(renamed, "model.safetensors");
  EXPECT_EQ(Try(folder_.path()),
            "tensor 'model.layers.3.input_layernorm.weight' does not belong "
            "to a llama model of 3 layers");
  auto turned = entries;
  std::swap(turned[2].shape[0], turned[2].shape[1]);
  turned[2].shape = {64, 256};
  WriteEntries(turned, "model.safetensors");
  EXPECT_EQ(
      Try(folder_.path()),
      "tensor '" + turned[2].name + "' has shape [64, 256], the configuration asks for [128, 128]");
  auto integers = entries;
  integers[2].dtype = "I16";
  WriteEntries(integers, "model.safetensors");
  // Not that it is missing: it is there.
  EXPECT_TRUE(Try(folder_.path())
                  .ends_with("tensor '" + entries[2].name +
                             "' has element type I16: F32, F16 and BF16 are supported"));
}

TEST_F(Checkpoints, MisalignedDataIsRead) {
  WriteEntries(Entries(), "model.safetensors", 1);
  EXPECT_EQ(Try(folder_.path()), "");
}

TEST_F(Checkpoints, ConfigurationsOutOfRangeAreRefused) {
  const std::string place = "'" + (folder_ / "config.json") + "': ";
  EditConfig("\"hidden_size\": 128", "\"hidden_size\": 4611686018427387904");
  EXPECT_EQ(Try(folder_.path()), place + "model hidden_size is 4611686018427387904, 1 to 1048576");
  EditConfig("\"num_hidden_layers\": 3", "\"num_hidden_layers\": 0");
  EXPECT_EQ(Try(folder_.path()), place + "model num_hidden_layers is 0, 1 to 1024");
  EditConfig("\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3");
  EXPECT_EQ(Try(folder_.path()), place + "model has 8 heads for 3 key heads: no multiple");
  EditConfig("\"vocab_size\": 97", "\"vocab_size\": -97");
  EXPECT_EQ(Try(folder_.path()), place + "config.json: vocab_size is not a size");
  EditConfig("\"llama\"", "\"gpt2\"");
  EXPECT_EQ(Try(folder_.path()),
            place + "config.json: model_type 'gpt2', llama and mistral are supported");
  EditConfig("\"attention_bias\": false", "\"attention_bias\": true");
  EXPECT_EQ(Try(folder_.path()),
            place + "config.json: attention_bias is true, models without biases are supported");
  EditConfig("\"mlp_bias\": false", "\"mlp_bias\": true");
  EXPECT_EQ(Try(folder_.path()),
            place + "config.json: mlp_bias is true, models without biases are supported");
  EditConfig("\"rope_scaling\": null", "\"rope_scaling\": {\"type\": \"yarn\"}");
  EXPECT_EQ(Try(folder_.path()),
            place + "config.json: rope_scaling 'yarn', linear and llama3 are supported");
  EditConfig("\"rope_scaling\": null", "\"rope_scaling\": {\"factor\": 4.0}");
  EXPECT_EQ(Try(folder_.path()),
            place + "config.json: rope_scaling with a factor and no rope_type");
  EditConfig("\"rope_scaling\": null", "\"rope_scaling\": {\"type\": \"linear\"}");
  EXPECT_EQ(Try(folder_.path()), place + "config.json: rope_scaling 'linear' without factor");
  EditConfig("\"rope_scaling\": null",
             "\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8.0, \"low_freq_factor\": "
             "1.0, \"high_freq_factor\": 4.0}");
  EXPECT_EQ(Try(folder_.path()), place +
                                     "config.json: rope_scaling 'llama3' without "
                                     "original_max_position_embeddings");
  EditConfig("\"rope_scaling\": null", "\"rope_scaling\": \"yarn\"");
  EXPECT_EQ(Try(folder_.path()), place + "config.json: rope_scaling that is no object");
  EditConfig("\"rope_theta\": 10000.0", "\"rope_theta\": -1.5");
  EXPECT_EQ(Try(folder_.path()), place + "model rope_theta is -1.5, above 0 and finite");
  EditConfig("\"rope_scaling\": null", "\"rope_scaling\": {\"type\": \"linear\", \"factor\": 0}");
  EXPECT_EQ(Try(folder_.path()), place + "model rope_scaling factor is 0, above 0 and finite");
  EditConfig("\"vocab_size\": 97", "\"vocab_size\": 98");
  EXPECT_EQ(Try(folder_.path()),
            "tensor 'model.embed_tokens.weight' has shape [97, 128], the "
            "configuration asks for [98, 128]");
}

// A mistral that does not say otherwise has a window.
TEST_F(Checkpoints, AWindowShorterThanTheLongestSequenceIsRefused) {
  const std::string place = "'" + (folder_ / "config.json") + "': config.json: ";
  const auto error = [this](std::string_view positions, std::string_view type) {
    EditConfig("\"llama\"", type);
    std::string text = FileText(folder_ / "config.json");
    const std::string_view key = "\"max_position_embeddings\": 256";
    WriteText(folder_ / "config.json", text.replace(text.find(key), key.size(), positions));
    return Try(folder_.path());
  };
  constexpr std::string_view kShort = "\"max_position_embeddings\": 4096";
  constexpr std::string_view kLong = "\"max_position_embeddings\": 4097";
  EXPECT_EQ(error(kShort, "\"mistral\""), "");
  EXPECT_EQ(error(kLong, "\"mistral\""),
            place +
                "a sliding window of 4096 tokens in 4097 positions: a mistral's, if sliding_window "
                "is not null");
  EXPECT_EQ(error(kLong, "\"mistral\", \"sliding_window\": null"), "");
  EXPECT_EQ(error(kLong, "\"mistral\", \"sliding_window\": 4097"), "");
  EXPECT_EQ(error(kLong, "\"mistral\", \"sliding_window\": 64"),
            place + "a sliding window of 64 tokens in 4097 positions");
  EXPECT_EQ(error(kLong, "\"llama\""), "");
}

TEST_F(Checkpoints, ScaledRotationsSurviveBothFormats) {
  EditConfig("\"rope_scaling\": null",
             "\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8.0, \"low_freq_factor\": "
             "1.0, \"high_freq_factor\": 4.0, \"original_max_position_embeddings\": 64}");
  const auto checkpoint = OpenCheckpoint(folder_.path());
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  const auto model = BuildModel(*checkpoint);
  ASSERT_TRUE(model);
  EXPECT_EQ((*model)->frequencies[0], 1);
  EXPECT_NEAR((*model)->frequencies[7], std::pow(10000.0, -7.0 / 8) / 8, 1e-12);
  ASSERT_TRUE(SaveGguf(**model, {}, gguf_));
  const auto gguf = OpenCheckpoint(gguf_);
  ASSERT_TRUE(gguf) << gguf.error().message;
  const auto again = BuildModel(*gguf);
  ASSERT_TRUE(again);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR((*again)->frequencies[i] / (*model)->frequencies[i], 1, 1e-6);
  }
  EXPECT_EQ(SaveSafetensors(**again, folder_ / "x").error().code, isa::ErrorCode::kUnsupported);
}

// A number that no float holds would come back as another, or as none.
TEST_F(Checkpoints, ARotationThatNoFloatHoldsIsNotWrittenAsGguf) {
  const auto error = [this](const auto& change) {
    Model model = *model_;
    change(model.config);
    const auto saved = SaveGguf(model, {}, folder_ / "other.gguf");
    EXPECT_EQ(std::filesystem::exists(folder_ / "other.gguf"), saved.has_value());
    return saved ? "" : saved.error().message;
  };
  EXPECT_EQ(error([](Config& c) { c.rope_base = 1e39; }),
            "model rope_theta is 1e+39: GGUF holds it as a float, above 0 and finite");
  EXPECT_EQ(error([](Config& c) { c.rope_base = 1e-60; }),
            "model rope_theta is 1e-60: GGUF holds it as a float, above 0 and finite");
  for (const RopeScaling scaling : {RopeScaling::kLinear, RopeScaling::kLlama3}) {
    EXPECT_EQ(error([&](Config& c) {
                c.rope_scaling = scaling;
                c.rope_factor = 1e-60;
              }),
              "model rope_scaling factor is 1e-60: GGUF holds it as a float, above 0 and finite");
  }
  EXPECT_EQ(error([](Config& c) { c.rope_base = 1e38; }), "");
}

TEST_F(Checkpoints, AFolderThatCannotBeMadeIsNamedWithTheReason) {
  const std::string below = gguf_ + "/below";
  EXPECT_EQ(SaveSafetensors(*model_, below).error().message,
            "cannot write to the folder '" + below + "': Not a directory");
}

// As transformers wants them up to 4.42 for the factors of a scaling.
TEST(Config, NumbersThatAreRealAreWrittenWithAFraction) {
  Config config = SmallConfig(2, false);
  const auto has = [&config](std::string_view text) {
    const std::string json = ConfigToJson(config, "float32");
    const auto read = ConfigFromJson(json);
    return read && *read == config && json.contains(text);
  };
  EXPECT_TRUE(has("\"rope_theta\": 10000.0,"));
  config.rope_base = 1234.5;
  EXPECT_TRUE(has("\"rope_theta\": 1234.5,"));
  config.rope_base = 1e20;
  EXPECT_TRUE(has("\"rope_theta\": 1e+20,"));
  config.rope_scaling = RopeScaling::kLinear;
  config.rope_factor = 2;
  EXPECT_TRUE(has("\"factor\": 2.0}"));
  config.rope_scaling = RopeScaling::kLlama3;
  config.rope_original = 64;
  EXPECT_TRUE(has("\"factor\": 2.0, \"low_freq_factor\": 1.0, \"high_freq_factor\": 4.0,"));
}

TEST(Config, SpecialTokensOutsideTheVocabularyAreForgotten) {
  Config config = SmallConfig(2, false);
  const auto size = static_cast<Token>(config.vocab);
  config.bos = {size};
  config.eos = {1, size, 4'000'000};
  const auto read = ConfigFromJson(ConfigToJson(config, "float32"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->bos.empty());
  EXPECT_EQ(read->eos, std::vector<Token>{1});
}

TEST_F(Checkpoints, ConfigurationsRoundTrip) {
  const auto config = ConfigFromJson(config_);
  ASSERT_TRUE(config);
  EXPECT_EQ(*config, model_->config);
}

TEST_F(Checkpoints, DamagedFilesEndInAnErrorOrRun) {
  const std::string gguf = FileText(gguf_);
  const std::size_t st_header =
      8 + static_cast<std::uint8_t>(tensors_[0]) + 256u * static_cast<std::uint8_t>(tensors_[1]);
  struct Case {
    std::string path, opened;
    const std::string& text;
    std::size_t reach;
  };
  const Case cases[] = {{folder_ / "config.json", folder_.path(), config_, config_.size()},
                        {folder_ / "model.safetensors", folder_.path(), tensors_, st_header},
                        {gguf_, gguf_, gguf, 3000}};
  std::mt19937_64 random(3);
  for (const Case& c : cases) {
    int accepted = 0;
    for (int i = 0; i < kDamages; ++i) {
      WriteText(c.path, Damaged(c.text, c.reach, random));
      ResetLargestAllocation();
      const std::string error = Try(c.opened);
      accepted += error.empty() ? 1 : 0;
      ASSERT_EQ(error.find('\n'), std::string::npos) << error;
      // The largest honest one is a block of keys and values of 1024 layers.
      ASSERT_LT(LargestAllocation(), 8u << 20) << c.path << ' ' << i;
    }
    WriteText(c.path, c.text);
    EXPECT_LT(accepted, kDamages / 2) << c.path;
    RecordProperty(std::filesystem::path(c.path).filename().string(), accepted);
  }
}

}  // namespace
}  // namespace txvm::neural::llm
