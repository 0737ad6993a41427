// The generator's examples as sequences that a model learns from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/nl/reader/codec.h"
#include "isa/support/result.h"
#include "neural/llm/tokenizer.h"
#include "neural/questions/generator.h"
#include "neural/train/llama.h"

namespace txvm::frontends::nl {

/// Immutable; copyable.
class ExampleEncoder {
 public:
  /// Errors as Codec::Of's.
  static isa::Result<ExampleEncoder> Make(const neural::llm::Tokenizer& tokenizer);

  /// The question as Codec::Prompt makes it, then the program.
  isa::Result<neural::train::Sequence> Encode(const neural::questions::Example& example) const;
  /// The same with its LensLabel, if it has one, as the lens's target.
  isa::Result<neural::train::Sequence> EncodeLabelled(
      const neural::questions::Example& example) const;

  const Codec& codec() const { return codec_; }

 private:
  explicit ExampleEncoder(Codec codec) : codec_(std::move(codec)) {}

  Codec codec_;
};

/// What batches of examples follow from besides a seed, for a checkpoint's fingerprint:
/// `vocabulary` is any text that tells one tokenizer from another.
std::string BatchesInWords(std::size_t batch, std::string_view vocabulary);

/// The tokens of a program that names its slots, as the generator writes it.
isa::Result<std::vector<Token>> ProgramTokens(std::string_view canonical);

/// kInvalid when too many examples in a row were passed over for any to serve; `lack` is what
/// none of them does.
isa::Result<void> CheckSomeServe(std::uint64_t passed_over, std::string_view lack);
/// The same for examples that were too long.
isa::Result<void> CheckSomeFit(std::uint64_t too_long, std::size_t positions);

/// `count` examples from index `first` on, without those of more than `positions` tokens.
/// Errors: those of CheckSomeFit.
isa::Result<std::vector<neural::train::Sequence>> BatchOf(
    const neural::questions::Generator& generator, const ExampleEncoder& encoder,
    std::uint64_t first, std::size_t count, std::size_t positions, bool labelled);

}  // namespace txvm::frontends::nl
