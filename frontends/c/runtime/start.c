/* From the host's call of _start to main, and how a program ends. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { kMostHandlers = 32, kAbortCode = 134 /* as a shell reports SIGABRT */ };

static struct handler {
  void (*function)(void*);
  void* argument;
} handlers[kMostHandlers];
static int handler_count;

/* Clang makes calls of it, for functions with the attribute `destructor`. */
int __cxa_atexit(void (*function)(void*), void* argument, void* module) {
  (void)module;
  if (handler_count == kMostHandlers) return 1;
  handlers[handler_count++] = (struct handler){function, argument};
  return 0;
}

static void call_plain(void* function) { ((void (*)(void))function)(); }

int atexit(void (*function)(void)) { return __cxa_atexit(call_plain, (void*)function, NULL); }

static void run_handlers(void) {
  while (handler_count > 0) {
    const struct handler last = handlers[--handler_count];
    last.function(last.argument);
  }
}

/* Of a code, the last eight bits are what a shell sees: -1 is 255. */
static _Noreturn void end(int code) { host_exit(code & 0xFF); }

_Noreturn void _Exit(int code) { end(code); }

_Noreturn void exit(int code) {
  run_handlers();
  fflush(NULL);
  end(code);
}

static void (*quick_handlers[kMostHandlers])(void);
static int quick_count;

int at_quick_exit(void (*function)(void)) {
  if (quick_count == kMostHandlers) return 1;
  quick_handlers[quick_count++] = function;
  return 0;
}

_Noreturn void quick_exit(int code) {
  while (quick_count > 0) quick_handlers[--quick_count]();
  end(code);
}

_Noreturn void abort(void) {
  fflush(NULL);
  host_exit(kAbortCode);
}

_Noreturn void __assert_failed(const char* condition, const char* file, int line,
                               const char* function) {
  fprintf(stderr, "%s:%d: %s: assertion '%s' failed\n", file, line, function, condition);
  abort();
}

/* The words of args_get or environ_get, after them NULL. */
static char** host_words(int (*sizes)(size_t*, size_t*), int (*get)(char**, char*), size_t* count) {
  size_t bytes = 0;
  if (sizes(count, &bytes) != 0) return NULL;
  char** words = malloc((*count + 1) * sizeof(char*));
  char* text = malloc(bytes);
  if (words == NULL || text == NULL || get(words, text) != 0) return NULL;
  words[*count] = NULL;
  return words;
}

char* getenv(const char* name) {
  static char** words;
  size_t count;
  if (words == NULL) words = host_words(host_environ_sizes, host_environ, &count);
  const size_t length = strlen(name);
  for (char** word = words; word != NULL && *word != NULL; ++word) {
    if (strncmp(*word, name, length) == 0 && (*word)[length] == '=') return *word + length + 1;
  }
  return NULL;
}

/* clang gives main one of these names, by its parameters. */
__attribute__((weak)) int __main_void(void);
__attribute__((weak)) int __main_argc_argv(int count, char** words);

void _start(void) {
  int code;
  output.is_unbuffered = 0;
  if (__main_argc_argv != NULL) {
    size_t count = 0;
    char** words = host_words(host_args_sizes, host_args, &count);
    code = __main_argc_argv((int)count, words);
  } else {
    code = __main_void();
  }
  if (code != 0) exit(code);
  run_handlers();
  fflush(NULL);
}
