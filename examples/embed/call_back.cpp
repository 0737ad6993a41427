// A sort that asks the host for the order, and the host asks back: its function reads the items by an export.
#include <iostream>
#include <txvm.hpp>

int main() {
  const std::string fruits[] = {"pear", "fig", "apple", "plum"};
  txvm::Engine engine;
  txvm::Linker linker(engine);
  linker.Define("host", "swapped", [&](txvm::Caller caller, int i, int j) {
    return fruits[caller.Call<int>("at", i)] > fruits[caller.Call<int>("at", j)];
  });
  txvm::Instance instance(txvm::Program::FromFile(engine, "sort.txa"), linker);
  for (int i = 0; i < 4; ++i) instance.Invoke("put", i, i);
  instance.Invoke("sort", 4);
  for (int i = 0; i < 4; ++i) std::cout << fruits[instance.Invoke("at", i)] << "\n";
  try {
    instance.Invoke("sort", 20'000);  // more than there is memory for
  } catch (const txvm::Stopped& stopped) {
    std::cout << stopped.what() << "\n";
  }
}
