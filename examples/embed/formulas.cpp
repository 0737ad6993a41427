// A spreadsheet whose formulas are programs: each cell's formula becomes a function of .txa, cells it names are read
// through a host function, and a formula that runs too long or divides by zero is an error in its cell, not in the host.
#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <string>
#include <txvm.hpp>

// expression := term (('+' | '-') term)*    term := factor (('*' | '/') factor)*
// factor := number | cell | '(' expression ')'    cell := 'A'..'Z' digit
class Compiler {
 public:
  explicit Compiler(std::string text) : text_(std::move(text)) {}
  std::string Run() {
    Expression();
    if (at_ != text_.size()) throw std::runtime_error("unexpected '" + text_.substr(at_, 1) + "'");
    return code_;
  }

 private:
  bool Accept(char c) { return at_ < text_.size() && text_[at_] == c && ++at_ != 0; }
  void Emit(const std::string& line) { code_ += "  " + line + "\n"; }
  void Expression() {
    for (Term();;) {
      if (Accept('+')) {
        Term();
        Emit("ADD");
      } else if (Accept('-')) {
        Term();
        Emit("SUB");
      } else
        return;
    }
  }
  void Term() {
    for (Factor();;) {
      if (Accept('*')) {
        Factor();
        Emit("MUL");
      } else if (Accept('/')) {
        Factor();
        Emit("DIV_S");
      } else
        return;
    }
  }
  void Factor() {
    if (Accept('(')) {
      Expression();
      if (!Accept(')')) throw std::runtime_error("')' is missing");
    } else if (at_ < text_.size() && std::isupper(static_cast<unsigned char>(text_[at_]))) {
      Emit("PUSH " + std::to_string((text_[at_] - 'A') * 10 + (text_.at(at_ + 1) - '0')));
      Emit("CALL cell");
      at_ += 2;
    } else {
      const std::size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
      if (end == at_) throw std::runtime_error("a number is missing");
      Emit("PUSH " + text_.substr(at_, end - at_));
      at_ = end;
    }
  }
  std::string text_, code_;
  std::size_t at_ = 0;
};

int main() {
  const std::map<std::string, std::string> sheet = {
      {"A1", "6"}, {"A2", "7"}, {"B1", "A1*A2"}, {"B2", "(B1+A1)/(A2-7)"}, {"C1", "C2+1"}, {"C2", "C1"}, {"D1", "B1*2-"}};
  txvm::Engine engine;
  txvm::Linker linker(engine);
  int depth = 0;
  const auto value_of = [&](const std::string& name) {
    const auto found = sheet.find(name);
    const std::string formula = found == sheet.end() ? "0" : found->second;
    if (depth > 50) throw std::runtime_error("a cell that needs itself");
    ++depth;
    const std::unique_ptr<int, void (*)(int*)> leave(&depth, [](int* count) { --*count; });
    const std::string text = ".import cell \"sheet\" \"cell\" params=1 results=1\n.func f results=1\n" +
                             Compiler(formula).Run() + ".end\n.export \"f\" f\n";
    return txvm::Instance(txvm::Program::FromBytes(engine, text, name), linker, {}, 10'000).Invoke("f");
  };
  linker.Define("sheet", "cell", [&](int cell) {
    return value_of({static_cast<char>('A' + cell / 10), static_cast<char>('0' + cell % 10)});
  });
  for (const auto& [name, formula] : sheet) {
    std::cout << name << " = " << formula << " = ";
    try {
      std::cout << value_of(name) << "\n";
    } catch (const std::exception& error) {
      std::string what = error.what();
      what.resize(std::min(what.find(" in 'f'"), what.size()));  // the cell is known
      for (const std::string prefix : {"host: ", "trapped: "}) {
        if (what.rfind(prefix) != std::string::npos) what.erase(0, what.rfind(prefix) + prefix.size());
      }
      std::cout << "error: " << what << "\n";
    }
  }
}
