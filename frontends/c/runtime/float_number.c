/* strtod and its like, rounded correctly: the text's decimal is shifted, exactly, until its integer
   part is the mantissa; what remains after the point decides. Only integers compute here. */
#include "library.h"

#include "format.h"

enum {
  kDigits = 9,            /* decimal digits in a word */
  kInteger = 36,          /* words before the point */
  kMostDigits = 800,      /* that are kept: no two doubles' middle has more than 768 */
  kWords = kInteger + 220,
  kShift = 9,             /* bits in a step, as 10^9 is 5^9 times 2^9 */
  kMostPoint = 310,       /* 10^310 has no double, nor has 10^-330 */
  kLeastPoint = -330
};

struct wide_number {
  uint32_t words[kWords];
  int first, last; /* the words in use; the point follows word kInteger - 1 */
};

/* What a double or a float has. */
struct format {
  int bits;       /* of the mantissa */
  int most_shift; /* the least one is 2^-most_shift */
};

static void shift_left(struct wide_number* number, int bits) {
  const uint32_t part = 1000000000u >> bits;
  uint32_t carry = 0;
  for (int i = number->last; i-- > number->first;) {
    const uint32_t word = number->words[i];
    number->words[i] = ((word % part) << bits) + carry;
    carry = word / part;
  }
  if (carry != 0) number->words[--number->first] = carry;
  while (number->last > number->first && number->words[number->last - 1] == 0) --number->last;
}

static void shift_right(struct wide_number* number, int bits) {
  const uint32_t mask = (1u << bits) - 1, part = 1000000000u >> bits;
  uint32_t carry = 0;
  for (int i = number->first; i < number->last; ++i) {
    const uint32_t word = number->words[i];
    number->words[i] = (word >> bits) + carry;
    carry = (word & mask) * part;
  }
  if (carry != 0) number->words[number->last++] = carry;
  if (number->first < number->last && number->words[number->first] == 0) ++number->first;
}

static uint32_t word_at(const struct wide_number* number, int at) {
  return at >= number->first && at < number->last ? number->words[at] : 0;
}

/* What follows the mantissa's last bit: 0 nothing, 1 less than a half, 2 a half, 3 more. */
static int rest_of(const struct wide_number* number) {
  const uint32_t half = 500000000u, word = word_at(number, kInteger);
  int has_more = 0;
  for (int i = number->first > kInteger ? number->first : kInteger + 1; i < number->last; ++i) {
    if (i > kInteger) has_more |= number->words[i] != 0;
  }
  if (word == half) return 2 + has_more;
  if (word > half) return 3;
  return word != 0 || has_more;
}

/* mantissa * 2^-shift and the rest, as the bits of the format. */
static uint64_t assemble(const struct format* format, uint64_t mantissa, int shift, int rest) {
  const int stored = format->bits - 1;
  const uint64_t infinity = (uint64_t)(format->bits == 53 ? 0x7FF : 0xFF) << stored;
  if (format->most_shift - shift > 0x800) {
    errno = ERANGE;
    return infinity;
  }
  if (rest == 3 || (rest == 2 && (mantissa & 1))) ++mantissa;
  const uint64_t bits = ((uint64_t)(format->most_shift - shift) << stored) + mantissa;
  if (bits >= infinity) {
    errno = ERANGE;
    return infinity;
  }
  if (rest != 0 && bits >> stored == 0) errno = ERANGE;
  return bits;
}

static uint64_t from_decimal(const struct format* format, struct wide_number* number) {
  int shift = 0;
  for (;;) {
    if (number->first < kInteger - 2) {
      shift_right(number, kShift);
      shift -= kShift;
      continue;
    }
    const uint64_t high =
        word_at(number, kInteger - 2) * 1000000000ull + word_at(number, kInteger - 1);
    int missing = format->bits - (high == 0 ? 0 : 64 - __builtin_clzll(high));
    if (missing > format->most_shift - shift) missing = format->most_shift - shift;
    if (missing == 0) return assemble(format, high, shift, rest_of(number));
    if (missing > 0) {
      if (missing > kShift) missing = kShift;
      shift_left(number, missing);
    } else {
      if (missing < -kShift) missing = -kShift;
      shift_right(number, -missing);
    }
    shift += missing;
  }
}

/* e[+-]digits at `at`, where `letter` is the 'e'; `*at` follows it where there is one. */
static int read_exponent(const char** at, char letter) {
  if ((**at | 0x20) != letter) return 0;
  const char* next = *at + 1;
  const int is_minus = *next == '-';
  if (*next == '-' || *next == '+') ++next;
  if (!isdigit((unsigned char)*next)) return 0;
  int exponent = 0;
  for (; isdigit((unsigned char)*next); ++next) {
    if (exponent < 100000000) exponent = 10 * exponent + (*next - '0');
  }
  *at = next;
  return is_minus ? -exponent : exponent;
}

/* Decimal digits with a point and an exponent; NULL where there is no digit. */
static const char* read_decimal(const struct format* format, const char* at, uint64_t* bits) {
  unsigned char digits[kMostDigits + 1];
  int count = 0, has_digits = 0, has_point = 0, point = 0, has_more = 0;
  for (;; ++at) {
    if (*at == '.' && !has_point) {
      has_point = 1;
      continue;
    }
    if (!isdigit((unsigned char)*at)) break;
    has_digits = 1;
    if (count == 0 && *at == '0') {
      point -= has_point;
      continue;
    }
    if (count < kMostDigits) {
      digits[count++] = (unsigned char)(*at - '0');
    } else {
      has_more |= *at != '0';
    }
    point += !has_point;
  }
  if (!has_digits) return NULL;
  point += read_exponent(&at, 'e');
  *bits = 0;
  if (count == 0) return at;
  if (point > kMostPoint || point < kLeastPoint) {
    errno = ERANGE;
    if (point > 0) *bits = assemble(format, 0, -0x10000, 0);
    return at;
  }
  if (has_more) digits[count++] = 1;
  /* Digit i has the weight 10^(point - 1 - i): 9 * kInteger + i - point digits are before it. */
  struct wide_number number;
  int place = kDigits * kInteger - point;
  number.first = place / kDigits;
  number.last = number.first;
  for (int i = 0; i < count;) {
    uint32_t word = 0;
    const int within = place % kDigits;
    for (int j = within; j < kDigits; ++j, ++place) {
      word = 10 * word + (i < count ? digits[i] : 0);
      ++i;
    }
    number.words[number.last++] = word;
  }
  *bits = from_decimal(format, &number);
  return at;
}

static int hex_value(char c) {
  if (isdigit((unsigned char)c)) return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Hexadecimal digits after "0x"; NULL where there is none. */
static const char* read_hexadecimal(const struct format* format, const char* at, uint64_t* bits) {
  uint64_t mantissa = 0;
  int exponent = 0, has_digits = 0, has_point = 0, has_more = 0;
  for (;; ++at) {
    if (*at == '.' && !has_point) {
      has_point = 1;
      continue;
    }
    const int digit = hex_value(*at);
    if (digit < 0) break;
    has_digits = 1;
    if (mantissa >> 60 == 0) {
      mantissa = mantissa << 4 | (uint64_t)digit;
      exponent -= 4 * has_point;
    } else {
      has_more |= digit != 0;
      exponent += 4 * !has_point;
    }
  }
  if (!has_digits) return NULL;
  exponent += read_exponent(&at, 'p');
  *bits = 0;
  if (mantissa == 0) return at;
  int dropped = 64 - __builtin_clzll(mantissa) - format->bits;
  if (-(exponent + dropped) > format->most_shift) dropped = -exponent - format->most_shift;
  const int shift = -(exponent + dropped);
  int rest = has_more;
  if (dropped > 64) {
    mantissa = 0;
    rest = 1;
  } else if (dropped > 0) {
    const uint64_t half = 1ull << (dropped - 1), low = mantissa & (half | (half - 1));
    rest = low > half || (low == half && has_more) ? 3 : low == half ? 2 : low != 0 || has_more;
    mantissa = dropped == 64 ? 0 : mantissa >> dropped;
  } else {
    mantissa <<= -dropped;
  }
  *bits = assemble(format, mantissa, shift, rest);
  return at;
}

/* Whether the lower-case `word` is at `at`, in any case. */
static int has_word(const char* at, const char* word) {
  for (; *word != '\0'; ++at, ++word) {
    if ((*at | 0x20) != *word) return 0;
  }
  return 1;
}

/* "inf", "infinity", "nan" and "nan(...)"; NULL for others. */
static const char* read_word(const struct format* format, const char* at, uint64_t* bits) {
  *bits = (uint64_t)(format->bits == 53 ? 0x7FF : 0xFF) << (format->bits - 1);
  if (has_word(at, "inf")) return at + (has_word(at, "infinity") ? 8 : 3);
  if (!has_word(at, "nan")) return NULL;
  *bits |= 1ull << (format->bits - 2);
  at += 3;
  if (*at != '(') return at;
  const char* end = at + 1;
  while (isalnum((unsigned char)*end) || *end == '_') ++end;
  return *end == ')' ? end + 1 : at;
}

uint64_t __txvm_parse_float(const char* text, char** end, int bytes) {
  const struct format format = bytes == 8 ? (struct format){53, 1074} : (struct format){24, 149};
  const char* at = text;
  uint64_t bits = 0;
  while (isspace((unsigned char)*at)) ++at;
  const uint64_t sign = *at == '-' ? 1ull << (8 * bytes - 1) : 0;
  if (*at == '-' || *at == '+') ++at;
  const char* next = NULL;
  if (at[0] == '0' && (at[1] | 0x20) == 'x') next = read_hexadecimal(&format, at + 2, &bits);
  if (next == NULL) next = read_decimal(&format, at, &bits);
  if (next == NULL) next = read_word(&format, at, &bits);
  if (end != NULL) *end = (char*)(next == NULL ? text : next);
  return next == NULL ? 0 : bits | sign;
}

double strtod(const char* restrict text, char** restrict end) {
  union {
    uint64_t bits;
    double value;
  } both = {__txvm_parse_float(text, end, 8)};
  return both.value;
}

float strtof(const char* restrict text, char** restrict end) {
  union {
    uint32_t bits;
    float value;
  } both = {(uint32_t)__txvm_parse_float(text, end, 4)};
  return both.value;
}

double atof(const char* text) { return strtod(text, NULL); }
