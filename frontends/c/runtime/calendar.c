/* time.h: the calendar, in UTC, and strftime in the "C" locale. */
#include "library.h"

enum { kSecondsPerDay = 86400, kYearBase = 1900, kDaysBefore1970 = 719468 };

double difftime(time_t later, time_t earlier) { return (double)(later - earlier); }

/* Days from 1970-01-01 to a day; years begin in March, so that a leap day is their last. */
static long long days_of(long long year, int month, int day) {
  year -= month < 2;
  const long long era = (year >= 0 ? year : year - 399) / 400;
  const int in_era = (int)(year - era * 400);
  const int in_year = (153 * (month + (month < 2 ? 10 : -2)) + 2) / 5 + day - 1;
  return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - kDaysBefore1970;
}

static int is_leap(long long year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

struct tm* gmtime_r(const time_t* restrict time, struct tm* restrict to) {
  long long days = *time / kSecondsPerDay;
  int rest = (int)(*time % kSecondsPerDay);
  if (rest < 0) {
    rest += kSecondsPerDay;
    --days;
  }
  const long long shifted = days + kDaysBefore1970;
  const long long era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const int in_era = (int)(shifted - era * 146097);
  const int years = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  const int in_year = in_era - (365 * years + years / 4 - years / 100);
  const int from_march = (5 * in_year + 2) / 153;
  const int month = from_march < 10 ? from_march + 2 : from_march - 10;
  const long long year = era * 400 + years + (month < 2);
  *to = (struct tm){.tm_sec = rest % 60,
                    .tm_min = rest / 60 % 60,
                    .tm_hour = rest / 3600,
                    .tm_mday = in_year - (153 * from_march + 2) / 5 + 1,
                    .tm_mon = month,
                    .tm_year = (int)(year - kYearBase),
                    .tm_wday = (int)(((days + 4) % 7 + 7) % 7),
                    .tm_yday = (int)(days - days_of(year, 0, 1))};
  return to;
}

struct tm* localtime_r(const time_t* restrict time, struct tm* restrict to) {
  return gmtime_r(time, to);
}

static struct tm shared;
struct tm* gmtime(const time_t* time) { return gmtime_r(time, &shared); }
struct tm* localtime(const time_t* time) { return gmtime_r(time, &shared); }

time_t timegm(struct tm* time) {
  const long long months = (long long)time->tm_year * 12 + time->tm_mon;
  long long year = months / 12;
  int month = (int)(months % 12);
  if (month < 0) {
    month += 12;
    --year;
  }
  const long long days = days_of(year + kYearBase, month, 1) + time->tm_mday - 1;
  const time_t seconds = ((days * 24 + time->tm_hour) * 60 + time->tm_min) * 60 + time->tm_sec;
  gmtime_r(&seconds, time);
  return seconds;
}

time_t mktime(struct tm* time) { return timegm(time); }

static const char day_names[] = "Sunday\0   Monday\0   Tuesday\0  Wednesday\0Thursday\0 Friday\0   Saturday";
static const char month_names[] =
    "January\0  February\0 March\0    April\0    May\0      June\0     July\0     August\0   "
    "September\0October\0  November\0 December";
static const char* day_name(int day) { return day < 0 || day > 6 ? "?" : day_names + 10 * day; }
static const char* month_name(int month) {
  return month < 0 || month > 11 ? "?" : month_names + 10 * month;
}

char* asctime(const struct tm* time) {
  static char text[32];
  snprintf(text, sizeof text, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", day_name(time->tm_wday),
           month_name(time->tm_mon), time->tm_mday, time->tm_hour, time->tm_min, time->tm_sec,
           time->tm_year + kYearBase);
  return text;
}

char* ctime(const time_t* time) { return asctime(gmtime(time)); }

/* The week of ISO 8601, and its year. */
static int iso_week(const struct tm* time, int* year) {
  const int from_monday = (time->tm_wday + 6) % 7;
  int week = (time->tm_yday - from_monday + 10) / 7;
  *year = time->tm_year + kYearBase;
  if (week < 1) {
    --*year;
    const int before = time->tm_yday + (is_leap(*year) ? 366 : 365);
    return (before - from_monday + 10) / 7;
  }
  if (week == 53 && time->tm_yday - from_monday + 3 >= (is_leap(*year) ? 366 : 365)) {
    ++*year;
    week = 1;
  }
  return week;
}

/* One conversion; the formats that stand for others are written out. */
static int convert_time(char* to, size_t size, char letter, const struct tm* time) {
  const int hour = time->tm_hour % 12 == 0 ? 12 : time->tm_hour % 12;
  const int year = time->tm_year + kYearBase;
  const char* format = NULL;
  int value = 0, iso_year;
  switch (letter) {
    case 'a': return snprintf(to, size, "%.3s", day_name(time->tm_wday));
    case 'A': return snprintf(to, size, "%s", day_name(time->tm_wday));
    case 'b':
    case 'h': return snprintf(to, size, "%.3s", month_name(time->tm_mon));
    case 'B': return snprintf(to, size, "%s", month_name(time->tm_mon));
    case 'c': format = "%a %b %e %H:%M:%S %Y"; break;
    case 'D':
    case 'x': format = "%m/%d/%y"; break;
    case 'F': format = "%Y-%m-%d"; break;
    case 'r': format = "%I:%M:%S %p"; break;
    case 'R': format = "%H:%M"; break;
    case 'T':
    case 'X': format = "%H:%M:%S"; break;
    case 'C': value = year / 100; break;
    case 'd': value = time->tm_mday; break;
    case 'e': return snprintf(to, size, "%2d", time->tm_mday);
    case 'g': iso_week(time, &iso_year), value = iso_year % 100; break;
    case 'G': iso_week(time, &iso_year); return snprintf(to, size, "%d", iso_year);
    case 'H': value = time->tm_hour; break;
    case 'I': value = hour; break;
    case 'j': return snprintf(to, size, "%03d", time->tm_yday + 1);
    case 'm': value = time->tm_mon + 1; break;
    case 'M': value = time->tm_min; break;
    case 'n': return snprintf(to, size, "\n");
    case 'p': return snprintf(to, size, time->tm_hour < 12 ? "AM" : "PM");
    case 'P': return snprintf(to, size, time->tm_hour < 12 ? "am" : "pm");
    case 's': {
      struct tm copy = *time;
      return snprintf(to, size, "%lld", (long long)timegm(&copy));
    }
    case 'S': value = time->tm_sec; break;
    case 't': return snprintf(to, size, "\t");
    case 'u': return snprintf(to, size, "%d", time->tm_wday == 0 ? 7 : time->tm_wday);
    case 'U': value = (time->tm_yday + 7 - time->tm_wday) / 7; break;
    case 'V': value = iso_week(time, &iso_year); break;
    case 'w': return snprintf(to, size, "%d", time->tm_wday);
    case 'W': value = (time->tm_yday + 7 - (time->tm_wday + 6) % 7) / 7; break;
    case 'y': value = (year % 100 + 100) % 100; break;
    case 'Y': return snprintf(to, size, "%d", year);
    case 'z': return snprintf(to, size, "+0000");
    case 'Z': return snprintf(to, size, "GMT");
    case '%': return snprintf(to, size, "%%");
    default: return snprintf(to, size, "%%%c", letter);
  }
  if (format != NULL) return (int)strftime(to, size, format, time);
  return snprintf(to, size, "%02d", value);
}

size_t strftime(char* restrict to, size_t size, const char* restrict format,
                const struct tm* restrict time) {
  size_t count = 0;
  for (; *format != '\0'; ++format) {
    int more = 1;
    if (*format == '%' && format[1] != '\0') {
      ++format;
      if ((*format == 'E' || *format == 'O') && format[1] != '\0') ++format;
      more = convert_time(to + count, size - count, *format, time);
    } else if (count < size) {
      to[count] = *format;
    }
    count += (size_t)more;
    if (count >= size) return 0;
  }
  if (size == 0) return 0;
  to[count] = '\0';
  return count;
}
