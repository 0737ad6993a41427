// Models with their tokenizers, through GGUF and folders: the same tokens and template.
#include "neural/llm/bundle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <set>

#include "neural/llm/pre_tokenizer.h"
#include "neural/llm/save.h"
#include "tests/neural/llm/random_model.h"
#include "tests/neural/llm/tokenizer_files.h"

namespace txvm::neural::llm {
namespace {

constexpr std::string_view kTexts[] = {"",         "ab cab",      " ab  12 ", "a</s>b",
                                       "<unk>a\n", "a<+> <+>cab", "<s>ab",    "\xC3\xA9"};

TokenizerSpec SentencePieceSpec() {
  const std::string file = SentencePieceFile();
  const auto spec =
      SpecFromSentencePiece({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
  EXPECT_TRUE(spec) << spec.error().message;
  return *spec;
}

class BundleFolders : public testing::Test {
 protected:
  BundleFolders() {
    config_ = SmallConfig(2, true);
    config_.vocab = 272;
    config_.layers = 1;
  }
  /// A GGUF file with this tokenizer.
  std::string Gguf(const TokenizerSpec& spec, std::string_view chat_template = "") {
    const std::string path = folder_ / "model.gguf";
    auto metadata = GgufMetadata(spec, chat_template);
    EXPECT_TRUE(metadata) << metadata.error().message;
    EXPECT_TRUE(SaveGguf(*RandomModel(config_, 1), *std::move(metadata), path));
    return path;
  }
  /// A folder of a model without tokenizer.
  std::string Folder(const std::string& name) {
    EXPECT_TRUE(SaveSafetensors(*RandomModel(config_, 1), folder_ / name));
    return folder_ / name;
  }
  static Bundle Opened(const std::string& path) {
    auto bundle = OpenBundle(path);
    EXPECT_TRUE(bundle) << bundle.error().message;
    return *std::move(bundle);
  }
  static void Convert(const std::string& from, const std::string& to) {
    const auto saved = SaveBundle(Opened(from), from, to, false);
    EXPECT_TRUE(saved) << saved.error().message;
  }
  static bool Exists(const std::string& path) { return std::filesystem::exists(path); }
  /// The files of a folder with what they hold; folders in it have no text.
  static std::map<std::string, std::string> Contents(const std::string& folder) {
    std::map<std::string, std::string> contents;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string path = entry.path().string();
      contents[entry.path().filename()] = entry.is_directory() ? "" : FileText(path);
    }
    return contents;
  }
  static void ExpectSameTokens(const Bundle& read, const Bundle& expected) {
    for (const std::string_view text : kTexts) {
      EXPECT_EQ(read.tokenizer->Encode(text), expected.tokenizer->Encode(text)) << text;
    }
    EXPECT_EQ(read.tokenizer->spec(), expected.tokenizer->spec());
  }

  Config config_;
  TemporaryFolder folder_;
};

TEST_F(BundleFolders, AGgufsTokensAreKept) {
  const TokenizerSpec usual = SentencePieceSpec();
  TokenizerSpec bare = usual, ended = usual, renamed = usual, headless = usual, user = usual;
  bare.before.clear();
  ended.after = {*ended.eos};
  renamed.pieces[1].text = renamed.added[0].text = "<bos>";
  renamed.pieces[2].text = renamed.added[1].text = "\"<eos>\"";
  headless.bos.reset();
  headless.before.clear();
  user.pieces.push_back({"<+>", 0, PieceKind::kUser});
  const auto last = static_cast<Token>(user.pieces.size() - 1);
  user.added.push_back({"<+>", last, false, false, false, false, false});
  for (const TokenizerSpec& spec : {usual, bare, ended, renamed, headless, user}) {
    const std::string gguf = Gguf(spec), folder = folder_ / "folder";
    const Bundle expected = Opened(gguf);
    EXPECT_EQ(expected.tokenizer->spec(), spec);
    Convert(gguf, folder);
    ExpectSameTokens(Opened(folder), expected);
  }
}

/// A vocabulary of bytes, without that of "!", with merges; the last pieces are added tokens.
TokenizerSpec ByteLevelSpec(std::vector<SplitStep::Kind> cuts) {
  TokenizerSpec spec;
  spec.algorithm = Algorithm::kRanks;
  spec.byte_level = true;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const bool is_left_out = byte == '!';
    spec.pieces.push_back({is_left_out ? "th" : ByteAlphabet()[byte], 0, PieceKind::kNormal});
  }
  spec.merges.push_back({'t', 'h', '!'});
  spec.pieces.push_back({ByteAlphabet()[' '] + "th", 0, PieceKind::kNormal});
  spec.merges.push_back({' ', '!', 256});
  for (const char* text : {"<|im_start|>", "<|\"end\"|>"}) {
    const auto id = static_cast<Token>(spec.pieces.size());
    spec.pieces.push_back({text, 0, PieceKind::kControl});
    spec.added.push_back({text, id, true, false, false, false, false});
  }
  spec.bos = 257;
  spec.eos = 258;
  for (const SplitStep::Kind kind : cuts) {
    spec.splits.push_back({kind, SplitStep::Prepend::kNever, false});
  }
  return spec;
}

TEST_F(BundleFolders, AByteLevelGgufBecomesAFolder) {
  using Kind = SplitStep::Kind;
  TokenizerSpec llama = ByteLevelSpec({Kind::kLlama3});
  llama.whole_pieces = true;
  llama.before = {257};
  for (const TokenizerSpec& spec :
       {ByteLevelSpec({Kind::kDigits, Kind::kGpt2}), ByteLevelSpec({Kind::kGpt2}),
        ByteLevelSpec({Kind::kQwen2}), llama}) {
    const std::string gguf = Gguf(spec, "a {{ chat }} template"), folder = folder_ / "folder";
    const Bundle expected = Opened(gguf);
    Convert(gguf, folder);
    EXPECT_TRUE(Exists(folder + "/tokenizer.json"));
    EXPECT_FALSE(Exists(folder + "/tokenizer.model"));
    ExpectSameTokens(Opened(folder), expected);
    EXPECT_EQ(Opened(folder).chat_template, "a {{ chat }} template");
  }
}

TEST_F(BundleFolders, AByteThatIsNoPieceIsLeftOut) {
  TokenizerSpec spec = ByteLevelSpec({SplitStep::Kind::kGpt2});
  spec.unknown = 0;  // as files name it
  const auto bundle = Opened(Gguf(spec));
  EXPECT_EQ(bundle.tokenizer->Encode("a!b"), (std::vector<Token>{'a', 'b'}));
  EXPECT_EQ(bundle.tokenizer->Encode(" th"), std::vector<Token>{256});
}

TEST_F(BundleFolders, AddedTokensBesideATokenizerModelAreKept) {
  constexpr std::string_view kNew =
      R"({"added_tokens_decoder": {"268": {"content": "<|im_start|>", "special": true},)"
      R"( "269": {"content": "<+>"}}})";
  const std::string source = Folder("source"), gguf = folder_ / "m.gguf", target = folder_ / "to";
  WriteText(source + "/tokenizer.model", SentencePieceFile());
  WriteText(source + "/tokenizer_config.json", kNew);
  const Bundle expected = Opened(source);
  EXPECT_EQ(expected.tokenizer->Find("<|im_start|>"), 268);
  ASSERT_TRUE(SaveBundle(expected, source, gguf, true));
  const TokenizerSpec read = Opened(gguf).tokenizer->spec();
  EXPECT_EQ(read.added, expected.tokenizer->spec().added);
  EXPECT_EQ(read.pieces, expected.tokenizer->spec().pieces);
  Convert(source, target);
  ExpectSameTokens(Opened(target), expected);

  std::filesystem::remove(source + "/tokenizer_config.json");
  WriteText(source + "/added_tokens.json", R"({"<|im_start|>": 268, "<+>": 269})");
  WriteText(source + "/special_tokens_map.json", R"({"pad_token": "<|im_start|>"})");
  ExpectSameTokens(Opened(source), expected);
  Convert(source, target);
  ExpectSameTokens(Opened(target), expected);
  Convert(gguf, target);
  EXPECT_FALSE(Exists(target + "/added_tokens.json"));
  EXPECT_FALSE(Exists(target + "/special_tokens_map.json"));
  ExpectSameTokens(Opened(target), Opened(gguf));
}

// As checkpoints have it whose training added a padding token and no weights for it.
TEST_F(BundleFolders, AnAddedTokenTheModelLacksIsTextWhereNothingNeedsIt) {
  const std::string source = Folder("source"), target = folder_ / "to", gguf = folder_ / "m.gguf";
  WriteText(source + "/tokenizer.model", SentencePieceFile());
  WriteText(source + "/added_tokens.json", R"({"a": 268, "b": 269, "c": 270, "d": 271})");
  const Bundle without = Opened(source);
  WriteText(source + "/added_tokens.json",
            R"({"a": 268, "b": 269, "c": 270, "d": 271, "[PAD]": 272})");
  WriteText(source + "/special_tokens_map.json", R"({"pad_token": "[PAD]"})");
  const Bundle padded = Opened(source);
  ExpectSameTokens(padded, without);
  EXPECT_EQ(padded.tokenizer->size(), 272u);
  EXPECT_EQ(padded.tokenizer->Encode("[PAD]"), without.tokenizer->Encode("[PAD]"));
  Convert(source, target);
  ExpectSameTokens(Opened(target), without);
  ASSERT_TRUE(SaveBundle(padded, source, gguf, true));
  EXPECT_EQ(Opened(gguf).tokenizer->size(), 272u);
}

TEST_F(BundleFolders, AnAddedTokenTheModelLacksIsRefusedByNameWhereItIsNeeded) {
  const std::string source = Folder("source");
  const auto error = [&] {
    const auto opened = OpenBundle(source);
    return opened ? "accepted" : opened.error().message;
  };
  WriteText(source + "/tokenizer.model", SentencePieceFile());
  WriteText(source + "/added_tokens.json", R"({"a": 268, "b": 269, "c": 270, "d": 271, "e": 272})");
  const std::string in = "'" + source + "': ";
  const std::string refusal = in + "added token 'e' has id 272, the model has 272 tokens";
  EXPECT_EQ(error(), "accepted");
  WriteText(source + "/tokenizer_config.json", R"({"eos_token": "e"})");
  EXPECT_EQ(error(), refusal);
  WriteText(source + "/tokenizer_config.json",
            R"({"chat_template": "<|user|> e {{ eos_token }}"})");
  EXPECT_EQ(error(), refusal);
  WriteText(source + "/tokenizer_config.json", "{}");
  EXPECT_EQ(error(), "accepted");
  config_.vocab = 260;
  Folder("source");
  EXPECT_EQ(error(), in + "the tokenizer has 273 tokens, the model 260");
}

TEST_F(BundleFolders, AModelsEndTokensAreKeptByGguf) {
  config_.eos = {5, 6};
  const std::string source = Folder("source"), gguf = folder_ / "model.gguf";
  const auto convert = [&] { return SaveBundle(Opened(source), source, gguf, true); };
  ASSERT_TRUE(convert());
  EXPECT_EQ(Opened(gguf).model->config.eos, (std::vector<Token>{5, 6}));
  WriteText(source + "/tokenizer.model", SentencePieceFile());
  ASSERT_TRUE(convert());
  const Bundle bundle = Opened(gguf);
  EXPECT_EQ(bundle.tokenizer->eos(), 2);
  EXPECT_EQ(bundle.model->config.eos, (std::vector<Token>{2, 5, 6}));
  config_.eos = {5, 6, 7};
  Folder("source");
  EXPECT_EQ(convert().error().message,
            "GGUF tokenizer: 4 tokens end a text, at most 3 can be written");
}

TEST_F(BundleFolders, AGgufsChatTemplateIsKept) {
  const std::string chat = "{% if \"a\\b\" %}\n<|user|>\t{{ eos_token }}\x01\xE2\x96\x81";
  const std::string gguf = Gguf(SentencePieceSpec(), chat);
  Convert(gguf, folder_ / "folder");
  EXPECT_EQ(Opened(folder_ / "folder").chat_template, chat);
}

TEST_F(BundleFolders, ANamedChatTemplateIsTheDefaultOne) {
  const std::string source = Folder("source");
  WriteText(source + "/tokenizer.json", kByteTokenizer);
  const auto write = [&source](std::string_view value) {
    WriteText(source + "/tokenizer_config.json", fmt::format(R"({{"chat_template": {}}})", value));
    return OpenBundle(source);
  };
  const auto named = write(R"([{"name": "tools", "template": "t"},
                               {"name": "default", "template": "d"}])");
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_EQ(named->chat_template, "d");
  EXPECT_EQ(write("null")->chat_template, "");
  for (const char* value : {R"([{"name": "tools", "template": "t"}])", "[]", "7"}) {
    const auto refused = write(value);
    ASSERT_FALSE(refused) << value;
    EXPECT_EQ(refused.error().code, isa::ErrorCode::kUnsupported);
  }
}

TEST_F(BundleFolders, ErrorsNameTheFileThatIsRead) {
  const std::string gguf = Gguf(SentencePieceSpec()), source = Folder("model");
  const auto error = [](const std::string& path) {
    const auto opened = OpenBundle(path);
    return opened ? "accepted" : opened.error().message;
  };
  const auto replace = [](const std::string& path, std::string_view from, std::string_view to) {
    std::string file = FileText(path);
    const std::size_t at = file.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    WriteText(path, file.replace(at, from.size(), to));
  };
  replace(gguf, "tokenizer.ggml.model", "tokenizer.ggml.modex");
  EXPECT_EQ(error(gguf), "'" + gguf + "': GGUF tokenizer: model '' is not supported");
  replace(gguf, "output_norm.weight", "outputxnorm.weight");
  EXPECT_TRUE(error(gguf).starts_with("'" + gguf + "': ")) << error(gguf);
  replace(source + "/model.safetensors", "model.norm.weight", "model.norx.weight");
  EXPECT_EQ(error(source), "'" + source + "': tensor 'model.norm.weight' is missing");
  // The folder's own name in the message is none of the folder.
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  EXPECT_EQ(error("model"), "'model': tensor 'model.norm.weight' is missing");
  EXPECT_EQ(error("model/"), "'model/': tensor 'model.norm.weight' is missing");
  WriteText("model/config.json", "{}");
  EXPECT_TRUE(error("model").starts_with("'model/config.json': ")) << error("model");
  std::filesystem::current_path(before);
}

// Where newer folders have their template; it counts before that of the settings.
TEST_F(BundleFolders, AChatTemplateOfItsOwnFileIsReadAndKept) {
  const std::string source = Folder("source"), target = folder_ / "target";
  WriteText(source + "/tokenizer.json", kByteTokenizer);
  WriteText(source + "/chat_template.jinja", "{{ 'new' }}\n");
  EXPECT_EQ(Opened(source).chat_template, "{{ 'new' }}\n");
  WriteText(source + "/tokenizer_config.json", R"({"chat_template": "old"})");
  EXPECT_EQ(Opened(source).chat_template, "{{ 'new' }}\n");
  Convert(source, target);
  EXPECT_EQ(Opened(target).chat_template, "{{ 'new' }}\n");
  Convert(Gguf(SentencePieceSpec(), "other"), target);
  EXPECT_EQ(Opened(target).chat_template, "other");
}

TEST_F(BundleFolders, WhatFilesCannotSayOfAGgufsTokenizerIsRefused) {
  TokenizerSpec twice = SentencePieceSpec();
  twice.pieces.back() = {"a", 0, PieceKind::kNormal};
  twice.eos = static_cast<Token>(twice.pieces.size() - 1);  // not the first "a"
  const std::string gguf = Gguf(twice);
  const auto saved = SaveBundle(Opened(gguf), gguf, folder_ / "folder", false);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, isa::ErrorCode::kUnsupported);
  EXPECT_FALSE(Exists(folder_ / "folder"));
}

TEST_F(BundleFolders, TokenizerFilesOfAnotherModelAreRemoved) {
  const std::string gguf = Gguf(SentencePieceSpec(), "new"), target = folder_ / "target";
  std::filesystem::create_directories(target);
  WriteText(target + "/tokenizer.json", kByteTokenizer);
  WriteText(target + "/tokenizer_config.json", R"({"chat_template": "old"})");
  Convert(gguf, target);
  EXPECT_FALSE(Exists(target + "/tokenizer.json"));
  EXPECT_EQ(Opened(target).chat_template, "new");
  ExpectSameTokens(Opened(target), Opened(gguf));

  const std::string source = Folder("source");
  WriteText(source + "/tokenizer.model", SentencePieceFile());
  WriteText(target + "/tokenizer.json", kByteTokenizer);
  WriteText(target + "/unrelated.json", "{}");
  Convert(source, target);
  EXPECT_FALSE(Exists(target + "/tokenizer.json"));
  EXPECT_FALSE(Exists(target + "/tokenizer_config.json"));
  EXPECT_TRUE(Exists(target + "/unrelated.json"));
  ExpectSameTokens(Opened(target), Opened(source));

  Convert(Folder("plain"), target);
  EXPECT_FALSE(Opened(target).tokenizer);
}

/// While it lives, writing a file beyond this size fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit limit = {bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() {
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before_), 0);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

TEST_F(BundleFolders, AFolderThatCannotBeReplacedWholeKeepsItsFiles) {
  const std::string gguf = Gguf(SentencePieceSpec(), "old"), target = folder_ / "target";
  Convert(gguf, target);
  config_.layers = 2;
  const std::string source = Folder("source");
  WriteText(source + "/tokenizer.json", kByteTokenizer);
  const Bundle bundle = Opened(source);
  const auto error = [&] {
    const auto before = Contents(target);
    const auto saved = SaveBundle(bundle, source, target, false);
    EXPECT_TRUE(Contents(target) == before);  // printed they would be megabytes
    return saved ? "accepted" : saved.error().message;
  };
  constexpr std::size_t kLimit = 8u << 20, kMore = 12u << 20;  // bytes, beyond the weights
  WriteText(source + "/special_tokens_map.json", std::string(kMore, ' '));
  {
    const FileSizeLimit limit(kLimit);
    EXPECT_EQ(error(), "cannot write '" + target + "/special_tokens_map.json': File too large");
  }
  WriteText(source + "/special_tokens_map.json", "{}");
  std::filesystem::create_directories(target + "/tokenizer.json/full");
  EXPECT_EQ(error(), "cannot write '" + target + "/tokenizer.json': Is a directory");
  std::filesystem::remove_all(target + "/tokenizer.json");
  std::filesystem::create_directories(target + "/added_tokens.json/full");
  EXPECT_EQ(error(), "cannot remove '" + target + "/added_tokens.json': Is a directory");
  std::filesystem::remove_all(target + "/added_tokens.json");
  std::filesystem::remove(target + "/config.json");
  std::filesystem::create_directories(target + "/config.json");
  EXPECT_EQ(error(), "cannot write '" + target + "/config.json': Is a directory");
  std::filesystem::remove_all(target + "/config.json");
  Convert(source, target);
  ExpectSameTokens(Opened(target), bundle);
}

TEST_F(BundleFolders, AnInterruptedConversionLeavesNothing) {
  const std::string source = Folder("source"), gguf = folder_ / "out/m.gguf", to = folder_ / "out";
  std::filesystem::create_directories(to);
  const Bundle bundle = Opened(source);
  for (const bool to_gguf : {true, false}) {
    int asked = 0;
    SaveOptions options;
    options.stopped = [&asked] { return ++asked == 3; };
    const auto saved = SaveBundle(bundle, source, to_gguf ? gguf : to, to_gguf, options);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, isa::ErrorCode::kInterrupted);
    EXPECT_EQ(asked, 3);
    EXPECT_TRUE(Contents(to).empty());
  }
}

// Else the next conversion into the folder could not replace it.
TEST_F(BundleFolders, ATokenizerThatIsReadOnlyIsWritableInItsCopy) {
  const std::string source = Folder("source"), target = folder_ / "target";
  WriteText(source + "/tokenizer.json", kByteTokenizer);
  std::filesystem::permissions(source + "/tokenizer.json", std::filesystem::perms::owner_read);
  Convert(source, target);
  const auto mode = std::filesystem::status(target + "/tokenizer.json").permissions();
  EXPECT_NE(mode & std::filesystem::perms::owner_write, std::filesystem::perms::none);
}

// llama.cpp takes the number of tokens for that of the embedding's rows.
TEST_F(BundleFolders, AGgufHasATokenForEveryRowOfTheModel) {
  const std::string source = Folder("source"), gguf = folder_ / "m.gguf", back = folder_ / "back";
  WriteText(source + "/tokenizer.model", SentencePieceFile());
  WriteText(source + "/tokenizer_config.json",
            R"({"added_tokens_decoder": {"268": {"content": "[PAD270]", "special": true}}})");
  const Bundle expected = Opened(source);
  ASSERT_EQ(expected.tokenizer->size(), 269u);
  ASSERT_TRUE(SaveBundle(expected, source, gguf, true));
  const auto checkpoint = OpenCheckpoint(gguf);
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  const auto texts = checkpoint->gguf->Find("tokenizer.ggml.tokens")->Texts();
  const auto kinds = checkpoint->gguf->Find("tokenizer.ggml.token_type")->Integers();
  EXPECT_EQ(checkpoint->gguf->Find("tokenizer.ggml.scores")->count, config_.vocab);
  ASSERT_EQ(texts->size(), config_.vocab);
  ASSERT_EQ(kinds->size(), config_.vocab);
  EXPECT_EQ(std::set(texts->begin(), texts->end()).size(), config_.vocab);
  EXPECT_EQ((*texts)[269], "[PAD269]");
  EXPECT_EQ((*texts)[270], "[PAD270_]");
  for (std::size_t i = 269; i < config_.vocab; ++i) EXPECT_EQ((*kinds)[i], 5) << i;
  EXPECT_EQ(Opened(gguf).tokenizer->spec().pieces, expected.tokenizer->spec().pieces);
  EXPECT_EQ(Opened(gguf).tokenizer->Encode("[PAD269][PAD270]a"),
            expected.tokenizer->Encode("[PAD269][PAD270]a"));
  Convert(gguf, back);
  ExpectSameTokens(Opened(back), Opened(gguf));

  std::filesystem::remove(source + "/tokenizer.model");
  WriteText(source + "/tokenizer.json", kByteTokenizer);
  const Bundle bytes = Opened(source);
  ASSERT_LT(bytes.tokenizer->size(), config_.vocab);
  ASSERT_TRUE(SaveBundle(bytes, source, gguf, true));
  EXPECT_EQ(OpenCheckpoint(gguf)->gguf->Find("tokenizer.ggml.tokens")->count, config_.vocab);
  ExpectSameTokens(Opened(gguf), bytes);
}

TEST_F(BundleFolders, AGgufConvertedIntoItsOwnFolderTakesItsTokenizerAlong) {
  const std::string folder = folder_ / "gin", gguf = folder + "/m.gguf";
  std::filesystem::create_directories(folder);
  std::filesystem::rename(Gguf(SentencePieceSpec(), "new"), gguf);
  WriteText(folder + "/tokenizer.json", kByteTokenizer);
  WriteText(folder + "/chat_template.jinja", "old");
  Convert(gguf, folder);
  EXPECT_FALSE(Exists(folder + "/tokenizer.json"));
  EXPECT_EQ(Opened(folder).chat_template, "new");
  ExpectSameTokens(Opened(folder), Opened(gguf));
}

TEST_F(BundleFolders, AFolderConvertedInPlaceKeepsItsTokenizer) {
  const std::string source = Folder("source");
  WriteText(source + "/tokenizer.model", SentencePieceFile());
  WriteText(source + "/tokenizer.json", kCharacterTokenizer);
  Convert(source, source);
  Convert(source + "/model.safetensors", source + "/.");
  EXPECT_EQ(FileText(source + "/tokenizer.json"), kCharacterTokenizer);
  EXPECT_EQ(FileText(source + "/tokenizer.model"), SentencePieceFile());
  std::filesystem::create_directory_symlink(source, folder_ / "link");
  Convert(source, folder_ / "link");
  EXPECT_EQ(FileText(source + "/tokenizer.json"), kCharacterTokenizer);
}

}  // namespace
}  // namespace txvm::neural::llm
