#include "frontends/cli/tir_inputs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "frontends/cli/file.h"
#include "frontends/cli/number.h"
#include "neural/tir/field_text.h"

namespace txvm::frontends::cli {
namespace {

using isa::ErrorCode;
using nlohmann::json;
using Elements = std::vector<std::uint64_t>;

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  if (text.empty()) return parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

isa::Result<std::uint64_t> ParseOne(std::string_view what, std::string_view text) {
  if (const auto element = neural::ParseElement(text)) return *element;
  return isa::Fail(
      ErrorCode::kUsage,
      fmt::format("{}: '{}' is no field element a, -p < a < p, p = 2^64 - 2^32 + 1", what, text));
}

isa::Result<neural::Digest> ToDigest(std::string_view what, const Elements& elements) {
  neural::Digest digest{};
  if (elements.size() != digest.size()) {
    return isa::Fail(ErrorCode::kUsage,
                     fmt::format("{}: a digest has 5 elements, not {}", what, elements.size()));
  }
  std::ranges::copy(elements, digest.begin());
  return digest;
}

isa::Result<std::vector<neural::Digest>> ParseDigests(std::string_view text) {
  std::vector<neural::Digest> digests;
  for (const std::string_view part : Split(text, ',')) {
    Elements elements;
    for (const std::string_view word : Split(part, ':')) {
      TXVM_TRY(const std::uint64_t element, ParseOne("--digests", word));
      elements.push_back(element);
    }
    TXVM_TRY(const neural::Digest digest, ToDigest("--digests", elements));
    digests.push_back(digest);
  }
  return digests;
}

isa::Result<std::vector<std::pair<std::uint64_t, std::uint64_t>>> ParseRam(std::string_view text) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ram;
  for (const std::string_view part : Split(text, ',')) {
    const auto sides = Split(part, '=');
    if (sides.size() != 2) {
      return isa::Fail(ErrorCode::kUsage,
                       fmt::format("--ram: '{}' is not of the form address=value", part));
    }
    TXVM_TRY(const std::uint64_t address, ParseOne("--ram", sides[0]));
    TXVM_TRY(const std::uint64_t value, ParseOne("--ram", sides[1]));
    ram.emplace_back(address, value);
  }
  return ram;
}

isa::Result<neural::TasmIsa> ParseIsa(std::string_view text) {
  if (text == "dot") return neural::TasmIsa::kDot;
  if (text == "horner") return neural::TasmIsa::kHorner;
  return isa::Fail(
      ErrorCode::kUsage,
      fmt::format("'{}' is no instruction set: dot (v2 .. v7) or horner (later)", text));
}

// The JSON reader. Every error names the file and the key.
class InputReader {
 public:
  explicit InputReader(const std::string& name) : name_(name) {}

  isa::Result<TirInputs> Read(const json& root) const {
    TirInputs inputs;
    if (!root.is_object()) return Wrong("the whole", "an object");
    for (const auto& [key, value] : root.items()) {
      TXVM_CHECK_OK(ReadKey(key, value, inputs));
    }
    return inputs;
  }

 private:
  std::unexpected<isa::Error> Wrong(std::string_view key, std::string_view expected) const {
    return InFile(fmt::format("{} must be {}", key, expected));
  }

  // What an option gets wrong is bad usage; in a file the same is bad input.
  std::unexpected<isa::Error> InFile(std::string message) const {
    isa::Error error{ErrorCode::kSyntax, std::move(message), {}, {}};
    error.place.file = name_;
    return std::unexpected(std::move(error));
  }

  isa::Result<void> ReadKey(const std::string& key, const json& value, TirInputs& inputs) const {
    if (key == "input") {
      TXVM_TRY(inputs.values.input, List(key, value));
    } else if (key == "secret") {
      TXVM_TRY(inputs.values.secret, List(key, value));
    } else if (key == "digests") {
      if (!value.is_array()) return Wrong(key, "a list of digests");
      for (const json& item : value) {
        TXVM_TRY(const Elements elements, List(key, item));
        const auto digest = ToDigest(key, elements);
        if (!digest) return InFile(digest.error().message);
        inputs.values.digests.push_back(*digest);
      }
    } else if (key == "ram") {
      if (!value.is_object()) return Wrong(key, "an object of addresses and values");
      for (const auto& [address, word] : value.items()) {
        TXVM_TRY(const std::uint64_t at, Element(key, json(address)));
        TXVM_TRY(const std::uint64_t element, Element(key, word));
        inputs.values.ram.emplace_back(at, element);
      }
    } else if (key == "max_cycles") {
      if (!value.is_number_unsigned()) return Wrong(key, "a count");
      inputs.max_cycles = value.get<std::uint64_t>();
    } else if (key == "isa") {
      if (!value.is_string()) return Wrong(key, "\"dot\" or \"horner\"");
      const auto isa = ParseIsa(value.get_ref<const std::string&>());
      if (!isa) return InFile(fmt::format("{}: {}", key, isa.error().message));
      inputs.isa = *isa;
    } else {
      return Wrong(fmt::format("the key '{}'", key),
                   "one of input, secret, digests, ram, max_cycles, isa");
    }
    return {};
  }

  isa::Result<std::uint64_t> Element(std::string_view key, const json& value) const {
    const std::string text = value.is_string()           ? value.get<std::string>()
                             : value.is_number_integer() ? value.dump()
                                                         : std::string();
    if (const auto element = neural::ParseElement(text)) return *element;
    return Wrong(fmt::format("an element of {}", key),
                 "an integer a, or its text, with -p < a < p, p = 2^64 - 2^32 + 1");
  }

  isa::Result<Elements> List(std::string_view key, const json& value) const {
    if (!value.is_array()) return Wrong(key, "a list of elements");
    Elements elements;
    for (const json& item : value) {
      TXVM_TRY(const std::uint64_t element, Element(key, item));
      elements.push_back(element);
    }
    return elements;
  }

  const std::string& name_;
};

}  // namespace

isa::Result<Elements> ParseElements(std::string_view what, std::string_view text) {
  Elements elements;
  for (const std::string_view part : Split(text, ',')) {
    TXVM_TRY(const std::uint64_t element, ParseOne(what, part));
    elements.push_back(element);
  }
  return elements;
}

isa::Result<TirInputs> ParseTirInputs(std::string_view text, const std::string& name) {
  const json root = json::parse(text, nullptr, false);
  if (root.is_discarded()) {
    isa::Error error{ErrorCode::kSyntax, "the inputs are not JSON", {}, {}};
    error.place.file = name;
    return std::unexpected(std::move(error));
  }
  return InputReader(name).Read(root);
}

void TirInputOptions::AddTo(Arguments& arguments) {
  arguments.Option("--input", "LIST", "Public input: elements, comma separated",
                   [this](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(given.values.input, ParseElements("--input", text));
                     has_input = true;
                     return {};
                   });
  arguments.Option("--secret", "LIST", "Secret input: elements, comma separated",
                   [this](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(given.values.secret, ParseElements("--secret", text));
                     has_secret = true;
                     return {};
                   });
  arguments.Option("--digests", "LIST", "Secret digests d0:d1:d2:d3:d4, comma separated",
                   [this](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(given.values.digests, ParseDigests(text));
                     has_digests = true;
                     return {};
                   });
  arguments.Option("--ram", "LIST", "Initial RAM: address=value, comma separated",
                   [this](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(given.values.ram, ParseRam(text));
                     has_ram = true;
                     return {};
                   });
  arguments.Option("--max-cycles", "N", "Crash with 'cycle limit' after N cycles (default 1G)",
                   [this](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(given.max_cycles,
                              ParseCount("--max-cycles", text, ~std::uint64_t{0}));
                     return {};
                   });
  arguments.Option("--isa", "NAME", "dot: Triton VM v2 .. v7 (default); horner: later",
                   [this](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(given.isa, ParseIsa(text));
                     return {};
                   });
  arguments.Text("--from", "FILE", "Read inputs from a JSON file; options win over it", file);
}

isa::Result<TirInputs> TirInputOptions::Resolve() const {
  TirInputs inputs;
  if (!file.empty()) {
    TXVM_TRY(const std::string text, ReadFile(file));
    TXVM_TRY(inputs, ParseTirInputs(text, DisplayName(file)));
  }
  if (has_input) inputs.values.input = given.values.input;
  if (has_secret) inputs.values.secret = given.values.secret;
  if (has_digests) inputs.values.digests = given.values.digests;
  if (has_ram) inputs.values.ram = given.values.ram;
  if (given.max_cycles) inputs.max_cycles = given.max_cycles;
  if (given.isa) inputs.isa = given.isa;
  return inputs;
}

}  // namespace txvm::frontends::cli
