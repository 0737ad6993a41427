/* What a program asks of its system: to wait, its words, signals, the locale. */
#include "library.h"

#include "host.h"

/* Waits for so many nanoseconds of the monotonic clock. */
static int wait_for(uint64_t nanoseconds) {
  struct {
    uint64_t user;
    uint8_t kind;
    uint32_t clock;
    uint64_t timeout, precision;
    uint16_t flags;
  } wanted = {.kind = 0, .clock = CLOCK_MONOTONIC, .timeout = nanoseconds};
  uint64_t happened[4];
  size_t done;
  return host_poll(&wanted, happened, 1, &done) == 0 ? 0 : -1;
}

unsigned sleep(unsigned seconds) {
  wait_for(seconds * 1000000000ull);
  return 0;
}
int usleep(unsigned microseconds) { return wait_for(microseconds * 1000ull); }
int nanosleep(const struct timespec* time, struct timespec* rest) {
  if (rest != NULL) *rest = (struct timespec){0, 0};
  return wait_for((uint64_t)time->tv_sec * 1000000000ull + (uint64_t)time->tv_nsec);
}

_Noreturn void _exit(int code) { host_exit(code & 0xFF); }
pid_t getpid(void) { return 1; }
int system(const char* command) { return command == NULL ? 0 : -1; }

char* optarg;
int optind = 1, opterr = 1, optopt;

static int report_option(const char* program, const char* what, int option) {
  if (opterr != 0) fprintf(stderr, "%s: %s -- '%c'\n", program, what, option);
  return '?';
}

int getopt(int count, char* const words[], const char* options) {
  static int at; /* in the word, after its '-' */
  optarg = NULL;
  if (at == 0) {
    if (optind >= count || words[optind][0] != '-' || words[optind][1] == '\0') return -1;
    if (strcmp(words[optind], "--") == 0) {
      ++optind;
      return -1;
    }
    at = 1;
  }
  const char* word = words[optind];
  const int option = word[at++];
  const char* known = option == ':' ? NULL : strchr(options, option);
  const int has_more = word[at] != '\0';
  if (known != NULL && known[1] == ':') {
    ++optind;
    if (has_more) {
      optarg = (char*)word + at;
    } else if (optind < count) {
      optarg = words[optind++];
    }
    at = 0;
    if (optarg != NULL) return option;
    optopt = option;
    if (*options == ':') return ':';
    return report_option(words[0], "option requires an argument", option);
  }
  if (!has_more) {
    ++optind;
    at = 0;
  }
  if (known != NULL) return option;
  optopt = option;
  return *options == ':' ? '?' : report_option(words[0], "invalid option", option);
}

enum { kSignals = 32 };
static sighandler_t handlers[kSignals];

sighandler_t signal(int number, sighandler_t handler) {
  if (number <= 0 || number >= kSignals) {
    errno = EINVAL;
    return SIG_ERR;
  }
  const sighandler_t before = handlers[number];
  handlers[number] = handler;
  return before;
}

/* Without a handler, the program ends as a shell reports it. */
int raise(int number) {
  enum { kEndedBySignal = 128 };
  if (number <= 0 || number >= kSignals) {
    errno = EINVAL;
    return -1;
  }
  const sighandler_t handler = handlers[number];
  if (handler == SIG_IGN) return 0;
  if (handler == SIG_DFL) {
    fflush(NULL);
    host_exit(kEndedBySignal + number);
  }
  handlers[number] = SIG_DFL;
  handler(number);
  handlers[number] = handler;
  return 0;
}

char* setlocale(int category, const char* name) {
  static const char* const known[] = {"C", "POSIX", "", "C.UTF-8", "C.utf8", "en_US.UTF-8"};
  if (category < 0 || category > LC_ALL) return NULL;
  if (name == NULL) return "C";
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    if (strcmp(known[i], name) == 0) return "C";
  }
  return NULL;
}

struct lconv* localeconv(void) {
  static char none[] = "", point[] = ".";
  static struct lconv values = {point, none, none, none, none, none, none, none, none, none};
  return &values;
}
