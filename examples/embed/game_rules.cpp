// A game whose rules are a script: the game owns the dice and the text, the script decides.
#include <iostream>
#include <string>
#include <txvm.hpp>

// A fixed sequence of dice, so that the fight is the same each time.
class Dice {
 public:
  int Roll(int sides) {
    state_ = state_ * 1103515245u + 12345u;
    return static_cast<int>((state_ >> 16) % static_cast<unsigned>(sides)) + 1;
  }

 private:
  unsigned state_ = 42;
};

int main(int argc, char** argv) {
  const std::string rules = argc > 1 ? argv[1] : "game_rules.txa";
  try {
    Dice dice;
    txvm::Engine engine;
    txvm::Linker linker(engine);
    linker.Define("game", "roll", [&](int sides) { return dice.Roll(sides); });
    linker.Define("game", "say", [](int text, int value) {
      if (text == 0) std::cout << "  a critical hit: " << value << "\n";
    });
    txvm::Instance script(txvm::Program::FromFile(engine, rules), linker);
    int knight = 30, dragon = 40;
    for (int round = 1; knight > 0 && dragon > 0; ++round) {
      std::cout << "round " << round << ": knight " << knight << ", dragon " << dragon << "\n";
      dragon -= script.Invoke("damage", 7, 3);
      if (dragon > 0) knight -= script.Invoke("damage", 9, 5);
    }
    std::cout << (knight > 0 ? "the knight wins, experience " : "the dragon wins, experience ")
              << (knight > 0 ? script.Invoke("experience", 3, 9) : script.Invoke("experience", 9, 3))
              << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
