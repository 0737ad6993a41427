/* Time, from the host's clocks. */
#include <time.h>

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "host.h"

enum { kNanoseconds = 1000000000 /* in a second */ };

int clock_gettime(clockid_t clock, struct timespec* now) {
  uint64_t time = 0;
  if (host_clock_time(clock, 0, &time) != 0) {
    errno = EINVAL;
    return -1;
  }
  *now = (struct timespec){(time_t)(time / kNanoseconds), (long)(time % kNanoseconds)};
  return 0;
}

int timespec_get(struct timespec* now, int base) {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

time_t time(time_t* now) {
  struct timespec time;
  const time_t seconds = clock_gettime(CLOCK_REALTIME, &time) == 0 ? time.tv_sec : -1;
  if (now != NULL) *now = seconds;
  return seconds;
}

clock_t clock(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0) return -1;
  return time.tv_sec * CLOCKS_PER_SEC + time.tv_nsec / (kNanoseconds / CLOCKS_PER_SEC);
}
