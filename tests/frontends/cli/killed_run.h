// A txvm that is killed amid its work.
#pragma once

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace txvm::frontends::cli {

/// Starts txvm, kills it some time after `checkpoint` has appeared, and waits for it.
inline void KillAfterCheckpoint(std::vector<std::string> words,
                                const std::filesystem::path& checkpoint) {
  words.insert(words.begin(), TXVM_BINARY);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, TXVM_BINARY, nullptr, nullptr, argv.data(), environ), 0);
  constexpr auto kPause = std::chrono::milliseconds(20);
  int status = 0;
  while (!std::filesystem::exists(checkpoint)) {
    ASSERT_EQ(waitpid(child, &status, WNOHANG), 0) << "it ended before its first checkpoint";
    std::this_thread::sleep_for(kPause);
  }
  std::this_thread::sleep_for(10 * kPause);  // some updates that no checkpoint has
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "it had ended before the kill";
}

}  // namespace txvm::frontends::cli
