/* The "C" locale alone; texts of wide characters are UTF-8. */
#pragma once
#include <stddef.h>
#define LC_CTYPE 0
#define LC_NUMERIC 1
#define LC_TIME 2
#define LC_COLLATE 3
#define LC_MONETARY 4
#define LC_MESSAGES 5
#define LC_ALL 6
struct lconv {
  char *decimal_point, *thousands_sep, *grouping, *int_curr_symbol, *currency_symbol,
      *mon_decimal_point, *mon_thousands_sep, *mon_grouping, *positive_sign, *negative_sign;
};
/* "C" where it is asked for, by this name, "POSIX", "C.UTF-8", "" or NULL; NULL for others. */
char* setlocale(int category, const char* name);
struct lconv* localeconv(void);
