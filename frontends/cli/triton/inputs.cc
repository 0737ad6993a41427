#include "frontends/cli/triton/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/support/file.h"
#include "isa/support/number.h"
#include "isa/support/text.h"
#include "neural/triton/field/field_text.h"

namespace txvm::frontends::cli {
namespace {

using isa::ErrorCode;
using nlohmann::json;
using Elements = std::vector<std::uint64_t>;

// Foreign text in a message, cut to the length that a number may have.
std::string Shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  return isa::Printable(text, kMost);
}

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
  if (const auto element = triton::ParseElement(text)) return *element;
  return isa::Fail(ErrorCode::kUsage,
                   fmt::format("{}: '{}' is no field element a, -p < a < p, p = 2^64 - 2^32 + 1",
                               what, Shown(text)));
}

isa::Result<triton::Digest> ToDigest(std::string_view what, const Elements& elements) {
  triton::Digest digest{};
  if (elements.size() != digest.size()) {
    return isa::Fail(ErrorCode::kUsage,
                     fmt::format("{}: a digest has 5 elements, not {}", what, elements.size()));
  }
  std::ranges::copy(elements, digest.begin());
  return digest;
}

isa::Result<std::vector<triton::Digest>> ParseDigests(std::string_view text) {
  std::vector<triton::Digest> digests;
  for (const std::string_view part : Split(text, ',')) {
    Elements elements;
    for (const std::string_view word : Split(part, ':')) {
      TXVM_TRY(const std::uint64_t element, ParseOne("--digests", word));
      elements.push_back(element);
    }
    TXVM_TRY(const triton::Digest digest, ToDigest("--digests", elements));
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
                       fmt::format("--ram: '{}' is not of the form address=value", Shown(part)));
    }
    TXVM_TRY(const std::uint64_t address, ParseOne("--ram", sides[0]));
    TXVM_TRY(const std::uint64_t value, ParseOne("--ram", sides[1]));
    ram.emplace_back(address, value);
  }
  return ram;
}

// A value in a message, on one line.
std::string ShownValue(const json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  constexpr int kNoIndent = -1;
  return Shown(value.dump(kNoIndent, ' ', true));
}

// Finds two errors that the parsed tree does not show: the place where a text stops being JSON, and
// a key that occurs twice in one object. Reading ends at either.
class JsonCheck final : public nlohmann::json_sax<json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    twice = name;
    return false;
  }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    stopped_at = position;
    return false;
  }

  std::optional<std::string> twice;
  std::size_t stopped_at = 0;  // the byte, from 1

 private:
  std::vector<std::set<std::string>> keys_;  // of the open objects, outermost first
};

// The JSON reader. Every error names the file, the key and the value.
class InputReader {
 public:
  explicit InputReader(const std::string& name) : name_(name) {}

  isa::Result<TirInputs> Read(const json& root) const {
    TirInputs inputs;
    if (!root.is_object()) return Wrong("the whole", "an object", root);
    for (const auto& [key, value] : root.items()) {
      TXVM_CHECK_OK(ReadKey(key, value, inputs));
    }
    return inputs;
  }

  // An error of an option is bad usage; the same in a file is bad input.
  std::unexpected<isa::Error> InFile(std::string message) const {
    isa::Error error{ErrorCode::kSyntax, std::move(message), {}, {}};
    error.place.file = name_;
    return std::unexpected(std::move(error));
  }

 private:
  std::unexpected<isa::Error> Wrong(std::string_view what, std::string_view expected,
                                    const json& value) const {
    return InFile(fmt::format("{} must be {}; it is {}", what, expected, ShownValue(value)));
  }

  isa::Result<void> ReadKey(const std::string& key, const json& value, TirInputs& inputs) const {
    if (key == "input") {
      TXVM_TRY(inputs.values.input, List(key, value));
    } else if (key == "secret") {
      TXVM_TRY(inputs.values.secret, List(key, value));
    } else if (key == "digests") {
      TXVM_TRY(inputs.values.digests, Digests(value));
    } else if (key == "ram") {
      TXVM_TRY(inputs.values.ram, Ram(value));
    } else if (key == "max_cycles") {
      constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
      if (!value.is_number_unsigned()) {
        return Wrong(key, fmt::format("a count of at most {}", kMost), value);
      }
      inputs.max_cycles = value.get<std::uint64_t>();
    } else if (key == "isa") {
      if (!value.is_string()) return Wrong(key, "\"dot\" or \"horner\"", value);
      const auto isa = ParseTasmIsa(value.get_ref<const std::string&>());
      if (!isa) return InFile(fmt::format("{}: {}", key, isa.error().message));
      inputs.isa = *isa;
    } else {
      return InFile(fmt::format(
          "the key '{}' must be one of input, secret, digests, ram, max_cycles, isa", Shown(key)));
    }
    return {};
  }

  isa::Result<std::vector<triton::Digest>> Digests(const json& value) const {
    if (!value.is_array()) return Wrong("digests", "a list of digests", value);
    std::vector<triton::Digest> digests;
    for (const json& item : value) {
      const std::string what = fmt::format("digest {}", digests.size() + 1);
      TXVM_TRY(const Elements elements, List(what, item));
      const auto digest = ToDigest(what, elements);
      if (!digest) return InFile(digest.error().message);
      digests.push_back(*digest);
    }
    return digests;
  }

  isa::Result<std::vector<std::pair<std::uint64_t, std::uint64_t>>> Ram(const json& value) const {
    if (!value.is_object()) return Wrong("ram", "an object of addresses and values", value);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ram;
    for (const auto& [address, word] : value.items()) {
      TXVM_TRY(const std::uint64_t at, Element("an address of ram", json(address)));
      TXVM_TRY(const std::uint64_t element,
               Element(fmt::format("the value at {} of ram", at), word));
      ram.emplace_back(at, element);
    }
    return ram;
  }

  isa::Result<std::uint64_t> Element(std::string_view what, const json& value) const {
    const std::string text = value.is_string()           ? value.get<std::string>()
                             : value.is_number_integer() ? value.dump()
                                                         : std::string();
    if (const auto element = triton::ParseElement(text)) return *element;
    return Wrong(what, "an integer a, or its text, with -p < a < p, p = 2^64 - 2^32 + 1", value);
  }

  isa::Result<Elements> List(std::string_view what, const json& value) const {
    if (!value.is_array()) return Wrong(what, "a list of elements", value);
    Elements elements;
    for (const json& item : value) {
      TXVM_TRY(const std::uint64_t element,
               Element(fmt::format("element {} of {}", elements.size() + 1, what), item));
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

isa::Result<triton::TasmIsa> ParseTasmIsa(std::string_view text) {
  if (text == "dot") return triton::TasmIsa::kDot;
  if (text == "horner") return triton::TasmIsa::kHorner;
  return isa::Fail(
      ErrorCode::kUsage,
      fmt::format("'{}' is no instruction set: dot (v2 .. v9) or horner (later)", Shown(text)));
}

isa::Result<TirInputs> ParseTirInputs(std::string_view text, const std::string& name) {
  const InputReader reader(name);
  JsonCheck check;
  if (!json::sax_parse(text, &check)) {
    if (check.twice)
      return reader.InFile(fmt::format("the key '{}' is there twice", Shown(*check.twice)));
    return std::unexpected(isa::ErrorAt(text, std::min(check.stopped_at - 1, text.size()), name,
                                        ErrorCode::kSyntax, "the inputs are not JSON"));
  }
  return reader.Read(json::parse(text, nullptr, false));
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
                              isa::ParseCount("--max-cycles", text, ~std::uint64_t{0}));
                     return {};
                   });
  arguments.Option("--isa", "NAME", kTasmIsaHelp,
                   [this](std::string_view text) -> isa::Result<void> {
                     TXVM_TRY(given.isa, ParseTasmIsa(text));
                     return {};
                   });
  arguments.Text("--from", "FILE", "Read inputs from a JSON file; options win over it", file);
}

isa::Result<TirInputs> TirInputOptions::Resolve() const {
  TirInputs inputs;
  if (!file.empty()) {
    TXVM_TRY(const std::string text, isa::ReadFile(file));
    TXVM_TRY(inputs, ParseTirInputs(text, isa::DisplayName(file)));
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
