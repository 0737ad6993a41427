// What a Triton program reads, from options or from a JSON file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontends/cli/support/arguments.h"
#include "isa/support/result.h"
#include "neural/triton/tasm/machine.h"

namespace txvm::frontends::cli {

/// What `--isa` says of itself.
inline const std::string kTasmIsaHelp =
    "dot: Triton VM v2 .. v9, all that are released (default); horner: its development version";

/// "dot" or "horner". kUsage for anything else.
isa::Result<triton::TasmIsa> ParseTasmIsa(std::string_view text);

/// The inputs of a run. Fields that are absent keep the machine's defaults.
struct TirInputs {
  triton::TasmInput values;
  std::optional<std::uint64_t> max_cycles;
  std::optional<triton::TasmIsa> isa;
};

/// "1,-2,3": field elements. An empty text is an empty list. kUsage names `what`.
isa::Result<std::vector<std::uint64_t>> ParseElements(std::string_view what, std::string_view text);

/// Adds --input, --secret, --digests, --ram, --max-cycles, --isa and --from. An option replaces
/// what the file says, whatever their order.
struct TirInputOptions {
  TirInputs given;   // by options
  std::string file;  // of --from
  bool has_input = false, has_secret = false, has_digests = false, has_ram = false;

  void AddTo(Arguments& arguments);
  /// The file's inputs with those of the options over them.
  isa::Result<TirInputs> Resolve() const;
};

/// {"input": [1, "2"], "secret": [...], "digests": [[d0, d1, d2, d3, d4], ...], "ram": {"10": "7"},
/// "max_cycles": 1000, "isa": "dot"}: every key optional; elements as integers or decimal strings.
/// kSyntax when it is not JSON, a key is there twice, or a key or value is of the wrong kind.
isa::Result<TirInputs> ParseTirInputs(std::string_view json, const std::string& name);

}  // namespace txvm::frontends::cli
