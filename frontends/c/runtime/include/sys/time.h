/* The time of day. */
#pragma once
#include <time.h>
struct timeval {
  time_t tv_sec;
  long tv_usec;
};
static inline int gettimeofday(struct timeval* to, void* zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  to->tv_sec = now.tv_sec;
  to->tv_usec = now.tv_nsec / 1000;
  return 0;
}
