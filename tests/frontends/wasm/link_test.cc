// Modules that are linked by name.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "frontends/wasm/merge.h"
#include "frontends/wasm/reader.h"
#include "tests/frontends/wasm/module_builder.h"

namespace txvm::tests {
namespace {

using frontends::wasm::ReadModule;
using frontends::wat::LinkModules, frontends::wat::Module, frontends::wat::NamedModule;
using isa::ErrorCode;

/// Imports a table from one module, and exports one to others.
Module Sharing(const std::string& from) {
  Bytes imports = {1};
  Append(imports, Counted(from.size(), Bytes(from.begin(), from.end())));
  Append(imports, {1, 't', 1, 0x70, 0, 1});
  return *ReadModule(ModuleBuilder().Section(2, imports).Section(7, {1, 1, 't', 1, 0}).bytes(),
                     "h.wasm");
}

TEST(Link, SharingInACircleIsRefused) {
  std::vector<NamedModule> libraries;
  libraries.push_back({"a", Sharing("b")});
  libraries.push_back({"b", Sharing("a")});
  const auto linked = LinkModules(Sharing("a"), std::move(libraries));
  ASSERT_FALSE(linked);
  EXPECT_EQ(linked.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(linked.error().message,
            "\"b\" \"t\" is imported by library \"a\", which is linked before \"b\" is; "
            "libraries cannot share in a circle");
  std::vector<NamedModule> itself;
  itself.push_back({"a", Sharing("a")});
  EXPECT_FALSE(LinkModules(Sharing("a"), std::move(itself)));
}

/// Imports the memory "m" of `from` with these limits, and exports it.
Module PassingOn(char from, const Bytes& limits) {
  Bytes imports = {1, 1, static_cast<std::uint8_t>(from), 1, 'm', 2};
  Append(imports, limits);
  return *ReadModule(ModuleBuilder().Section(2, imports).Section(7, {1, 1, 'm', 2, 0}).bytes(),
                     "h.wasm");
}

TEST(Link, LimitsAreThoseOfTheOriginal) {
  const Bytes bounded = {1, 1, 3}, open = {0, 1}, narrow = {1, 1, 2};
  const auto link = [&](const Bytes& wanted) {
    Bytes memory = {1};
    Append(memory, bounded);
    std::vector<NamedModule> libraries;
    libraries.push_back(
        {"a", *ReadModule(ModuleBuilder().Section(5, memory).Section(7, {1, 1, 'm', 2, 0}).bytes(),
                          "h.wasm")});
    libraries.push_back({"b", PassingOn('a', open)});
    const auto linked = LinkModules(PassingOn('b', wanted), std::move(libraries));
    return linked ? std::string("linked") : linked.error().message;
  };
  EXPECT_EQ(link(open), "linked");
  EXPECT_EQ(link(bounded), "linked");
  EXPECT_TRUE(link(narrow).starts_with("incompatible import type of \"b\" \"m\"")) << link(narrow);
}

}  // namespace
}  // namespace txvm::tests
