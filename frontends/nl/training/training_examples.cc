#include "frontends/nl/training/training_examples.h"

#include <fmt/format.h>

#include <utility>

#include "frontends/nl/language/lens_label.h"
#include "frontends/nl/language/text.h"
#include "isa/support/sha256.h"

namespace txvm::frontends::nl {

namespace train = neural::train;

isa::Result<ExampleEncoder> ExampleEncoder::Make(const neural::llm::Tokenizer& tokenizer) {
  TXVM_TRY(Codec codec, Codec::Of(tokenizer));
  return ExampleEncoder(std::move(codec));
}

std::string BatchesInWords(std::size_t batch, std::string_view vocabulary) {
  const std::string digest =
      isa::Sha256({reinterpret_cast<const std::uint8_t*>(vocabulary.data()), vocabulary.size()});
  return fmt::format("batches of {}, vocabulary {}", batch, digest);
}

isa::Result<std::vector<Token>> ProgramTokens(std::string_view canonical) {
  // The text names slots; ReadCanonical gives no other numbers a meaning.
  TXVM_TRY(CanonicalText program, ReadCanonical(canonical, std::vector<Number>(kMaxSlots)));
  return std::move(program.tokens);
}

isa::Result<train::Sequence> ExampleEncoder::Encode(
    const neural::questions::Example& example) const {
  TXVM_TRY(const Lexed question, Lex(example.question));
  TXVM_TRY(const std::vector<Token> program, ProgramTokens(example.canonical));
  train::Sequence sequence;
  sequence.tokens = codec_.Prompt(question);
  sequence.prompt = sequence.tokens.size();
  for (const Token token : program) sequence.tokens.push_back(codec_.IdOf(token));
  return sequence;
}

isa::Result<train::Sequence> ExampleEncoder::EncodeLabelled(
    const neural::questions::Example& example) const {
  TXVM_TRY(train::Sequence sequence, Encode(example));
  TXVM_TRY(const std::vector<Token> program, ProgramTokens(example.canonical));
  TXVM_TRY(const std::optional<Token> label, LensLabel(program));
  if (label) sequence.lens = codec_.IdOf(*label);
  return sequence;
}

isa::Result<void> CheckSomeServe(std::uint64_t passed_over, std::string_view lack) {
  constexpr std::uint64_t kMost = 10'000;
  if (passed_over < kMost) return {};
  return isa::Fail(isa::ErrorCode::kInvalid,
                   fmt::format("none of {} generated questions {}", passed_over, lack));
}

isa::Result<void> CheckSomeFit(std::uint64_t too_long, std::size_t positions) {
  return CheckSomeServe(too_long, fmt::format("fits the model's {} positions", positions));
}

isa::Result<std::vector<train::Sequence>> BatchOf(const neural::questions::Generator& generator,
                                                  const ExampleEncoder& encoder,
                                                  std::uint64_t first, std::size_t count,
                                                  std::size_t positions, bool labelled) {
  std::vector<train::Sequence> batch;
  std::uint64_t too_long = 0;
  for (std::uint64_t index = first; batch.size() < count; ++index) {
    const neural::questions::Example example = generator.Make(index);
    TXVM_TRY(train::Sequence sequence,
             labelled ? encoder.EncodeLabelled(example) : encoder.Encode(example));
    if (sequence.tokens.size() > positions) {
      TXVM_CHECK_OK(CheckSomeFit(++too_long, positions));
      continue;
    }
    too_long = 0;
    batch.push_back(std::move(sequence));
  }
  return batch;
}

}  // namespace txvm::frontends::nl
