// Every relative link of the documents leads to a file, and to a heading where it names one; the
// index lists every page.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace txvm::tests {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TXVM_SOURCE_DIR;

std::vector<fs::path> Pages() {
  std::vector<fs::path> pages;
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
    pages.push_back(kRoot / name);
  }
  for (const char* folder : {"docs", "examples", "models", "neural"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  std::ranges::sort(pages);
  return pages;
}

// The lines of a page outside its code blocks.
std::vector<std::string> ProseOf(const fs::path& page) {
  std::ifstream stream(page);
  EXPECT_TRUE(stream) << page;
  std::vector<std::string> lines;
  bool in_code = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      in_code = !in_code;
    } else if (!in_code) {
      lines.push_back(line);
    }
  }
  return lines;
}

// What a heading is called in a link: lower case, blanks as hyphens, other signs dropped.
std::string Anchor(const std::string& heading) {
  std::string anchor;
  for (const char c : heading.substr(heading.find_first_not_of("# "))) {
    if (c == ' ') {
      anchor += '-';
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return anchor;
}

std::set<std::string> AnchorsOf(const fs::path& page) {
  std::set<std::string> anchors;
  for (const std::string& line : ProseOf(page)) {
    if (line.starts_with("#")) anchors.insert(Anchor(line));
  }
  return anchors;
}

std::vector<std::string> LinksOf(const fs::path& page) {
  static const std::regex kLink(R"(\]\(([^)\s]+)\))");
  std::ostringstream text;
  for (const std::string& line : ProseOf(page)) text << line << "\n";
  const std::string prose = text.str();
  std::vector<std::string> links;
  for (std::sregex_iterator link(prose.begin(), prose.end(), kLink), end; link != end; ++link) {
    links.push_back((*link)[1]);
  }
  return links;
}

TEST(Docs, EveryLinkLeadsSomewhere) {
  std::size_t followed = 0;
  for (const fs::path& page : Pages()) {
    for (const std::string& link : LinksOf(page)) {
      if (link.find("://") != std::string::npos) continue;
      const std::size_t hash = link.find('#');
      const std::string path = link.substr(0, hash);
      const fs::path target = path.empty() ? page : page.parent_path() / path;
      EXPECT_TRUE(fs::exists(target)) << page << " links to " << link;
      ++followed;
      if (hash == std::string::npos || !fs::exists(target)) continue;
      EXPECT_TRUE(AnchorsOf(target).contains(link.substr(hash + 1)))
          << page << " links to " << link;
    }
  }
  EXPECT_GT(followed, 100u);
}

TEST(Docs, TheIndexListsEveryPage) {
  const std::vector<std::string> links = LinksOf(kRoot / "docs/README.md");
  for (const auto& entry : fs::directory_iterator(kRoot / "docs")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".md" || name == "README.md") continue;
    EXPECT_NE(std::ranges::find(links, name), links.end()) << name;
  }
}

}  // namespace
}  // namespace txvm::tests
