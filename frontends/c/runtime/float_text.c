/* printf for floats: every digit is exact, and a rounding goes to the nearest, ties to even. Only
   integers compute here. */
#include "library.h"

#include "format.h"

enum {
  kDigits = 9,                          /* decimal digits in a word */
  kInteger = 35,                        /* words before the point: a double has 309 digits there */
  kWords = kInteger + 120,              /* and up to 1,074 after it */
  kShift = 9,                           /* bits in a step: 10^9 is 5^9 times 2^9 */
  kMantissaBits = 52,
  kExponentBias = 1075,                 /* of a mantissa that is an integer */
  kMostExponent = 0x7FF
};

/* Words of nine digits from `first` to before `last`; the point follows word kInteger - 1. */
struct wide_decimal {
  uint32_t words[kWords];
  int first, last;
};

/* times 2^bits, at most 2^9, plus `low` */
static void shift_left(struct wide_decimal* number, int bits, uint32_t low) {
  const uint32_t part = 1000000000u >> bits;
  uint32_t carry = low;
  for (int i = number->last; i-- > number->first;) {
    const uint32_t word = number->words[i];
    number->words[i] = ((word % part) << bits) + carry;
    carry = word / part;
  }
  if (carry != 0) number->words[--number->first] = carry;
}

/* divided by 2^bits, at most 2^9: no digit is lost */
static void shift_right(struct wide_decimal* number, int bits) {
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

/* 0.d1d2d3... times 10^point, without zeros at the begin and the end. */
struct decimal {
  int count, point;
  char digits[kWords * kDigits];
};

/* mantissa * 2^exponent */
static void to_decimal(struct decimal* to, uint64_t mantissa, int exponent) {
  struct wide_decimal number;
  number.first = kInteger, number.last = kInteger;
  to->count = to->point = 0;
  if (mantissa == 0) return;
  const int even = __builtin_ctzll(mantissa);
  mantissa >>= even;
  exponent += even;
  for (int at = 63 / kShift * kShift; at >= 0; at -= kShift) {
    shift_left(&number, kShift, (uint32_t)(mantissa >> at) & ((1u << kShift) - 1));
  }
  for (int bits = exponent; bits > 0; bits -= kShift) {
    shift_left(&number, bits < kShift ? bits : kShift, 0);
  }
  for (int bits = -exponent; bits > 0; bits -= kShift) {
    shift_right(&number, bits < kShift ? bits : kShift);
  }
  int count = 0;
  for (int i = number.first; i < number.last; ++i) {
    uint32_t word = number.words[i];
    for (int j = kDigits; j-- > 0; word /= 10) to->digits[count + j] = (char)('0' + word % 10);
    count += kDigits;
  }
  int zeros = 0;
  while (to->digits[zeros] == '0') ++zeros;
  while (to->digits[count - 1] == '0') --count;
  to->count = count - zeros;
  to->point = (kInteger - number.first) * kDigits - zeros;
  for (int i = 0; i < to->count && zeros > 0; ++i) to->digits[i] = to->digits[i + zeros];
}

/* Keeps `keep` digits. */
static void round_decimal(struct decimal* number, int keep) {
  if (keep >= number->count) return;
  if (keep < 0) {
    number->count = 0;
    return;
  }
  const char* digits = number->digits;
  const int is_odd = keep > 0 && (digits[keep - 1] & 1);
  const int is_up = digits[keep] > '5' ||
                    (digits[keep] == '5' && (is_odd || keep + 1 < number->count));
  number->count = keep;
  if (is_up) {
    while (number->count > 0 && digits[number->count - 1] == '9') --number->count;
    if (number->count > 0) {
      ++number->digits[number->count - 1];
    } else {
      number->digits[0] = '1';
      number->count = 1;
      ++number->point;
    }
  } else {
    while (number->count > 0 && digits[number->count - 1] == '0') --number->count;
  }
}

/* Digits from `from` on, of which those outside of the number are zeros. */
static void emit_digits(struct sink* sink, const struct decimal* number, int from, int count) {
  if (from < 0) {
    const int zeros = -from < count ? -from : count;
    __txvm_pad(sink, '0', zeros);
    count -= zeros;
    from = 0;
  }
  int have = number->count - from;
  if (have > count) have = count;
  if (have > 0) {
    __txvm_emit(sink, number->digits + from, (size_t)have);
    count -= have;
  }
  __txvm_pad(sink, '0', count);
}

/* "e-05": the letter, the sign and at least `least` digits; returns the length. */
static int exponent_text(char* to, char letter, int exponent, int least) {
  int count = 0;
  char digits[8];
  unsigned rest = exponent < 0 ? (unsigned)-exponent : (unsigned)exponent;
  for (; rest != 0 || count < least; rest /= 10) digits[count++] = (char)('0' + rest % 10);
  to[0] = letter;
  to[1] = exponent < 0 ? '-' : '+';
  for (int i = 0; i < count; ++i) to[2 + i] = digits[count - 1 - i];
  return 2 + count;
}

/* Spaces and zeros before `count` characters that follow the sign; returns the spaces after them. */
static int emit_front(struct sink* sink, const struct conversion* form, const char* sign, int zero,
                      int count) {
  int length = 0;
  while (sign[length] != '\0') ++length;
  const int spaces = form->width - length - count;
  if (!form->left && !zero) __txvm_pad(sink, ' ', spaces);
  __txvm_emit(sink, sign, (size_t)length);
  if (!form->left && zero) __txvm_pad(sink, '0', spaces);
  return form->left ? spaces : 0;
}

static void emit_fixed(struct sink* sink, const struct conversion* form, const char* sign,
                       const struct decimal* number, int precision) {
  const int point = number->count == 0 || number->point <= 0 ? 0 : number->point;
  const int has_point = precision > 0 || form->alternative;
  const int before = point > 0 ? point : 1;
  const int after = emit_front(sink, form, sign, form->zero, before + has_point + precision);
  if (point > 0) {
    emit_digits(sink, number, 0, point);
  } else {
    __txvm_pad(sink, '0', 1);
  }
  if (has_point) __txvm_emit(sink, ".", 1);
  emit_digits(sink, number, number->count == 0 ? 0 : number->point, precision);
  __txvm_pad(sink, ' ', after);
}

static void emit_scientific(struct sink* sink, const struct conversion* form, const char* sign,
                            const struct decimal* number, int precision) {
  char exponent[8];
  const int length = exponent_text(exponent, form->letter & 0x20 ? 'e' : 'E',
                                   number->count == 0 ? 0 : number->point - 1, 2);
  const int has_point = precision > 0 || form->alternative;
  const int after = emit_front(sink, form, sign, form->zero, 1 + has_point + precision + length);
  emit_digits(sink, number, 0, 1);
  if (has_point) __txvm_emit(sink, ".", 1);
  emit_digits(sink, number, 1, precision);
  __txvm_emit(sink, exponent, (size_t)length);
  __txvm_pad(sink, ' ', after);
}

/* %g: the shorter of both forms, without zeros at the end where there is no '#'. */
static void emit_general(struct sink* sink, const struct conversion* form, const char* sign,
                         struct decimal* number, int precision) {
  if (precision == 0) precision = 1;
  round_decimal(number, precision);
  const int exponent = number->count == 0 ? 0 : number->point - 1;
  const int is_fixed = exponent < precision && exponent >= -4;
  int after_point = is_fixed ? precision - 1 - exponent : precision - 1;
  if (!form->alternative) {
    const int have = number->count - 1 - (is_fixed ? exponent : 0);
    after_point = have > 0 ? have : 0;
  }
  (is_fixed ? emit_fixed : emit_scientific)(sink, form, sign, number, after_point);
}

/* %a: the digits of the mantissa as they are. */
static void emit_hexadecimal(struct sink* sink, const struct conversion* form, const char* sign,
                             uint64_t mantissa, int exponent) {
  enum { kHexDigits = kMantissaBits / 4 };
  const int is_small = (form->letter & 0x20) != 0;
  const char* letters = is_small ? "0123456789abcdef" : "0123456789ABCDEF";
  int digits = form->precision;
  if (digits >= 0 && digits < kHexDigits) {
    const int dropped = kMantissaBits - 4 * digits;
    const uint64_t half = 1ull << (dropped - 1), rest = mantissa & ((half << 1) - 1);
    mantissa -= rest;
    if (rest > half || (rest == half && (mantissa >> dropped & 1))) mantissa += half << 1;
  }
  char text[kHexDigits], start[6], tail[8];
  for (int i = 0; i < kHexDigits; ++i) {
    text[i] = letters[mantissa >> (kMantissaBits - 4 - 4 * i) & 15];
  }
  if (digits < 0) {
    for (digits = kHexDigits; digits > 0 && text[digits - 1] == '0';) --digits;
  }
  int length = 0;
  while (*sign != '\0') start[length++] = *sign++;
  start[length++] = '0';
  start[length++] = is_small ? 'x' : 'X';
  start[length] = '\0';
  const int tail_length = exponent_text(tail, is_small ? 'p' : 'P', exponent, 1);
  const int has_point = digits > 0 || form->alternative;
  const int after = emit_front(sink, form, start, form->zero, 1 + has_point + digits + tail_length);
  __txvm_emit(sink, &letters[mantissa >> kMantissaBits], 1);
  if (has_point) __txvm_emit(sink, ".", 1);
  __txvm_emit(sink, text, (size_t)(digits < kHexDigits ? digits : kHexDigits));
  __txvm_pad(sink, '0', digits - kHexDigits);
  __txvm_emit(sink, tail, (size_t)tail_length);
  __txvm_pad(sink, ' ', after);
}

void __txvm_emit_float(struct sink* sink, const struct conversion* form, double value) {
  union {
    double value;
    uint64_t bits;
  } both = {value};
  const char* sign = both.bits >> 63 ? "-" : form->plus ? "+" : form->space ? " " : "";
  const int biased = (int)(both.bits >> kMantissaBits) & kMostExponent;
  uint64_t mantissa = both.bits & ((1ull << kMantissaBits) - 1);
  if (biased == kMostExponent) {
    const int is_small = (form->letter & 0x20) != 0;
    const int after = emit_front(sink, form, sign, 0, 3);
    __txvm_emit(sink, mantissa != 0 ? is_small ? "nan" : "NAN" : is_small ? "inf" : "INF", 3);
    __txvm_pad(sink, ' ', after);
    return;
  }
  const int is_zero = biased == 0 && mantissa == 0;
  if (biased != 0) mantissa |= 1ull << kMantissaBits;
  const int exponent = (biased != 0 ? biased : 1) - kExponentBias;
  const char letter = form->letter | 0x20;
  if (letter == 'a') {
    emit_hexadecimal(sink, form, sign, mantissa, is_zero ? 0 : exponent + kMantissaBits);
    return;
  }
  const int precision = form->precision < 0 ? 6 : form->precision;
  struct decimal number;
  to_decimal(&number, mantissa, exponent);
  if (letter == 'g') {
    emit_general(sink, form, sign, &number, precision);
  } else if (letter == 'e') {
    round_decimal(&number, precision + 1);
    emit_scientific(sink, form, sign, &number, precision);
  } else {
    round_decimal(&number, number.point + precision);
    emit_fixed(sink, form, sign, &number, precision);
  }
}
