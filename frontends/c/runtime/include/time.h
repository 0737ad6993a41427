/* The clocks of the host; txvm's --clock says whether they are real. Local time is UTC. */
#pragma once
#include <stddef.h>
#define CLOCKS_PER_SEC 1000000LL
#define TIME_UTC 1
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
typedef long long time_t;
typedef long long clock_t;
typedef int clockid_t;
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
/* Under names of the runtime: programs have a time and a clock of their own, of other types. */
clock_t clock(void) __asm__("__txvm_clock");
time_t time(time_t* now) __asm__("__txvm_time");
int timespec_get(struct timespec* now, int base);
int clock_gettime(clockid_t clock, struct timespec* now);
struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};
double difftime(time_t later, time_t earlier);
struct tm* gmtime(const time_t* time);
struct tm* localtime(const time_t* time);
struct tm* gmtime_r(const time_t* restrict time, struct tm* restrict to);
struct tm* localtime_r(const time_t* restrict time, struct tm* restrict to);
time_t mktime(struct tm* time);
time_t timegm(struct tm* time);
char* asctime(const struct tm* time);
char* ctime(const time_t* time);
size_t strftime(char* restrict to, size_t size, const char* restrict format,
                const struct tm* restrict time);
int nanosleep(const struct timespec* time, struct timespec* rest);
