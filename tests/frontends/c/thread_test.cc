// Threads, one at a time, against those of the native library; what would wait for ever, and the
// calls of POSIX that no host has, say so.
#include <gtest/gtest.h>

#include <string>

#include "tests/frontends/c/c_runner.h"

namespace txvm::tests {
namespace {

Outcome RunAlone(std::string_view source) {
  const auto program = Compile(source, {});
  return program ? RunOnBoth(program) : Outcome();
}

TEST(CThread, OfPosixShareMemoryAndGiveResults) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
enum { kThreads = 5, kRounds = 1000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t done;
static long sum;
static int freed, begun;
static void begin(void) { ++begun; }
static void release(void* value) {
  ++freed;
  free(value);
}
static void* add(void* argument) {
  const long number = *(long*)argument;
  long* const own = malloc(sizeof *own);
  *own = number;
  pthread_once(&once, begin);
  pthread_setspecific(key, own);
  for (int i = 0; i < kRounds; ++i) {
    pthread_mutex_lock(&mutex);
    sum += number;
    pthread_mutex_unlock(&mutex);
  }
  pthread_rwlock_rdlock(&both);
  const long result = *(long*)pthread_getspecific(key) * 10;
  pthread_rwlock_unlock(&both);
  sem_post(&done);
  if (number % 2 == 0) pthread_exit((void*)result);
  return (void*)result;
}
int main(void) {
  pthread_t threads[kThreads];
  long numbers[kThreads];
  pthread_key_create(&key, release);
  sem_init(&done, 0, 0);
  for (long i = 0; i < kThreads; ++i) {
    numbers[i] = i + 1;
    if (pthread_create(&threads[i], NULL, add, &numbers[i]) != 0) return 1;
  }
  for (int i = 0; i < kThreads; ++i) sem_wait(&done);
  for (int i = 0; i < kThreads; ++i) {
    void* result = NULL;
    const int error = pthread_join(threads[i], &result);
    printf("%d %ld\n", error, (long)result);
  }
  printf("%ld %d %d %d\n", sum, freed, begun, pthread_equal(pthread_self(), pthread_self()) != 0);
  return pthread_mutex_trylock(&mutex);
}
)");
}

TEST(CThread, OfC11) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
#include <threads.h>
static mtx_t mutex;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int total;
static void begin(void) { puts("once"); }
static int square(void* argument) {
  const int number = *(int*)argument;
  call_once(&once, begin);
  tss_set(key, argument);
  mtx_lock(&mutex);
  total += *(int*)tss_get(key) * number;
  mtx_unlock(&mutex);
  if (number == 3) thrd_exit(33);
  return number * number;
}
int main(void) {
  thrd_t threads[4];
  int numbers[4];
  mtx_init(&mutex, mtx_plain);
  tss_create(&key, NULL);
  for (int i = 0; i < 4; ++i) {
    numbers[i] = i + 1;
    if (thrd_create(&threads[i], square, &numbers[i]) != thrd_success) return 1;
  }
  for (int i = 0; i < 4; ++i) {
    int result = 0;
    printf("%d ", thrd_join(threads[i], &result) == thrd_success);
    printf("%d\n", result);
  }
  printf("%d\n", total);
  mtx_destroy(&mutex);
  return 0;
}
)");
}

TEST(CThread, WhatWouldWaitForEverSaysSoAndEnds) {
  SKIP_WITHOUT_C();
  const Outcome outcome = RunAlone(R"(#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void* wait(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&changed, &mutex);
  return unused;
}
int main(void) {
  pthread_t thread;
  printf("before ");
  pthread_create(&thread, NULL, wait, NULL);
  return 0;
}
)");
  EXPECT_EQ(outcome.out, "before ");
  EXPECT_EQ(outcome.err,
            "pthread_cond_wait would wait for ever: a txvm program runs one thread at a time, "
            "each to its end\n");
  EXPECT_NE(outcome.end, "halted");
}

TEST(CAbsent, CallsOfPosixThatNoHostHasFailAndSaySo) {
  SKIP_WITHOUT_C();
  const Outcome outcome = RunAlone(R"(#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int ends[2];
  printf("%d ", fork());
  printf("%d ", errno == ENOSYS);
  printf("%d %d %d\n", pipe(ends), wait(NULL), execl("/bin/ls", "ls", (char*)NULL));
  char folder[10];
  printf("%s %ld %d\n", getcwd(folder, sizeof folder), sysconf(_SC_NPROCESSORS_ONLN),
         (int)getuid());
  return 0;
}
)");
  EXPECT_EQ(outcome.out, "-1 1 -1 -1 -1\n. 1 0\n");
  EXPECT_EQ(outcome.end, "halted") << outcome.err;
  EXPECT_EQ(outcome.err.find("fork: a txvm program has one process, without users and links\n"), 0U)
      << outcome.err;
}

TEST(CScan, WideTextsAsEverywhere) {
  SKIP_WITHOUT_C();
  ExpectEqualOutput(R"(#include <stdio.h>
#include <wchar.h>
int main(void) {
  int number = 0, end = 0;
  double real = 0;
  wchar_t word[20], set[20];
  char bytes[20];
  int found = swscanf(L" 42 2.5 hello xyz9", L"%d %lf %ls %l[a-z]%n", &number, &real, word, set, &end);
  printf("%d %d %g %ls %ls %d\n", found, number, real, word, set, end);
  found = swscanf(L"abc def", L"%3s%1ls", bytes, word);
  printf("%d %s %ls\n", found, bytes, word);
  printf("%d ", wscanf(L"%d", &number));
  printf("%d ", number);
  printf("%d ", fwscanf(stdin, L"%ls", word));
  printf("%ls %d\n", word, fwscanf(stdin, L"%d", &number));
  printf("%'d %'.2f\n", 1234567, 9876.5);
  return 0;
}
)",
                    "17 words");
}

}  // namespace
}  // namespace txvm::tests
