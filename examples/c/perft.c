/* Counts the chess games of a given length, move by move: perft DEPTH [FEN]. A board of 16 columns,
   of which 8 are on it, finds the edge with one AND. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kNone, kPawn, kKnight, kBishop, kRook, kQueen, kKing, kBlack = 8 };
enum { kOff = 0x88, kRow = 16, kNowhere = 127 };
enum { kWhiteShort = 1, kWhiteLong = 2, kBlackShort = 4, kBlackLong = 8 };

struct position {
  unsigned char board[128];
  int side;      /* 0 or kBlack: whose move it is */
  int castling;  /* bits of what is still allowed */
  int passed;    /* the square a pawn has just jumped over, or kNowhere */
  int king[2];
};

static const signed char kKnightSteps[] = {-33, -31, -18, -14, 14, 18, 31, 33};
static const signed char kKingSteps[] = {-17, -16, -15, -1, 1, 15, 16, 17};

static int is_ours(const struct position* p, int piece) {
  return piece != kNone && (piece & kBlack) == p->side;
}

/* Whether a piece of `by` could take on `square`. */
static int is_attacked(const struct position* p, int square, int by) {
  const int toward = by == 0 ? -kRow : kRow; /* where such a pawn stands */
  for (int side = -1; side <= 1; side += 2) {
    const int from = square + toward + side;
    if ((from & kOff) == 0 && p->board[from] == (kPawn | by)) return 1;
  }
  for (int i = 0; i < 8; ++i) {
    const int from = square + kKnightSteps[i];
    if ((from & kOff) == 0 && p->board[from] == (kKnight | by)) return 1;
  }
  for (int i = 0; i < 8; ++i) {
    const int step = kKingSteps[i];
    const int is_straight = step == 1 || step == -1 || step == kRow || step == -kRow;
    int distance = 1;
    for (int from = square + step; (from & kOff) == 0; from += step, ++distance) {
      const int piece = p->board[from];
      if (piece == kNone) continue;
      if ((piece & kBlack) != by) break;
      const int kind = piece & 7;
      if (kind == kQueen || kind == (is_straight ? kRook : kBishop)) return 1;
      if (kind == kKing && distance == 1) return 1;
      break;
    }
  }
  return 0;
}

static uint64_t perft(const struct position* p, int depth);

static int castling_lost_at(int square) {
  switch (square) {
    case 0x00: return kWhiteLong;
    case 0x04: return kWhiteShort | kWhiteLong;
    case 0x07: return kWhiteShort;
    case 0x70: return kBlackLong;
    case 0x74: return kBlackShort | kBlackLong;
    case 0x77: return kBlackShort;
    default: return 0;
  }
}

/* The games that begin with this move; none when it leaves the king attacked. */
static uint64_t try_move(const struct position* p, int from, int to, int promotion, int depth) {
  struct position next = *p;
  const int piece = p->board[from], kind = piece & 7;
  const int forward = p->side == 0 ? kRow : -kRow;
  next.board[to] = (unsigned char)(promotion != kNone ? promotion | p->side : piece);
  next.board[from] = kNone;
  next.passed = kNowhere;
  if (kind == kPawn && to == p->passed) next.board[to - forward] = kNone;
  if (kind == kPawn && to - from == 2 * forward) next.passed = from + forward;
  if (kind == kKing) {
    next.king[p->side != 0] = to;
    if (to - from == 2 || from - to == 2) {
      const int rook_from = to > from ? to + 1 : to - 2;
      next.board[(from + to) / 2] = next.board[rook_from];
      next.board[rook_from] = kNone;
    }
  }
  next.castling &= ~(castling_lost_at(from) | castling_lost_at(to));
  const int enemy = p->side ^ kBlack;
  if (is_attacked(&next, next.king[p->side != 0], enemy)) return 0;
  next.side = enemy;
  return perft(&next, depth - 1);
}

static uint64_t pawn_move(const struct position* p, int from, int to, int depth) {
  const int last_row = p->side == 0 ? 7 : 0;
  if (to >> 4 != last_row) return try_move(p, from, to, kNone, depth);
  uint64_t games = 0;
  for (int kind = kKnight; kind <= kQueen; ++kind) games += try_move(p, from, to, kind, depth);
  return games;
}

static uint64_t pawn_moves(const struct position* p, int from, int depth) {
  const int forward = p->side == 0 ? kRow : -kRow, first_row = p->side == 0 ? 1 : 6;
  uint64_t games = 0;
  if (p->board[from + forward] == kNone) {
    games += pawn_move(p, from, from + forward, depth);
    if (from >> 4 == first_row && p->board[from + 2 * forward] == kNone) {
      games += try_move(p, from, from + 2 * forward, kNone, depth);
    }
  }
  for (int side = -1; side <= 1; side += 2) {
    const int to = from + forward + side;
    if ((to & kOff) != 0) continue;
    const int target = p->board[to];
    if (to == p->passed || (target != kNone && !is_ours(p, target))) {
      games += pawn_move(p, from, to, depth);
    }
  }
  return games;
}

static uint64_t piece_moves(const struct position* p, int from, const signed char* steps, int first,
                            int stride, int slides, int depth) {
  uint64_t games = 0;
  for (int i = first; i < 8; i += stride) {
    for (int to = from + steps[i]; (to & kOff) == 0; to += steps[i]) {
      if (is_ours(p, p->board[to])) break;
      games += try_move(p, from, to, kNone, depth);
      if (!slides || p->board[to] != kNone) break;
    }
  }
  return games;
}

static uint64_t castling_moves(const struct position* p, int from, int depth) {
  const int enemy = p->side ^ kBlack;
  const int short_bit = p->side == 0 ? kWhiteShort : kBlackShort;
  uint64_t games = 0;
  if (is_attacked(p, from, enemy)) return 0;
  if ((p->castling & short_bit) != 0 && p->board[from + 1] == kNone &&
      p->board[from + 2] == kNone && !is_attacked(p, from + 1, enemy)) {
    games += try_move(p, from, from + 2, kNone, depth);
  }
  if ((p->castling & short_bit << 1) != 0 && p->board[from - 1] == kNone &&
      p->board[from - 2] == kNone && p->board[from - 3] == kNone &&
      !is_attacked(p, from - 1, enemy)) {
    games += try_move(p, from, from - 2, kNone, depth);
  }
  return games;
}

static uint64_t moves_from(const struct position* p, int from, int depth) {
  static const signed char straight[] = {-16, 0, -1, 0, 1, 0, 16, 0};
  static const signed char diagonal[] = {-17, 0, -15, 0, 15, 0, 17, 0};
  switch (p->board[from] & 7) {
    case kPawn: return pawn_moves(p, from, depth);
    case kKnight: return piece_moves(p, from, kKnightSteps, 0, 1, 0, depth);
    case kBishop: return piece_moves(p, from, diagonal, 0, 2, 1, depth);
    case kRook: return piece_moves(p, from, straight, 0, 2, 1, depth);
    case kQueen: return piece_moves(p, from, kKingSteps, 0, 1, 1, depth);
    default:
      return piece_moves(p, from, kKingSteps, 0, 1, 0, depth) + castling_moves(p, from, depth);
  }
}

static uint64_t perft(const struct position* p, int depth) {
  if (depth == 0) return 1;
  uint64_t games = 0;
  for (int square = 0; square < 128; ++square) {
    if ((square & kOff) == 0 && is_ours(p, p->board[square])) games += moves_from(p, square, depth);
  }
  return games;
}

static int read_fen(const char* text, struct position* p) {
  static const char letters[] = ".pnbrqk";
  memset(p, 0, sizeof *p);
  p->passed = kNowhere;
  int row = 7, column = 0;
  for (; *text != '\0' && *text != ' '; ++text) {
    if (*text == '/') {
      --row;
      column = 0;
    } else if (isdigit((unsigned char)*text)) {
      column += *text - '0';
    } else {
      const char* found = strchr(letters, tolower((unsigned char)*text));
      if (found == NULL || row < 0 || column > 7) return 0;
      const int side = islower((unsigned char)*text) ? kBlack : 0;
      const int kind = (int)(found - letters);
      if (kind == kKing) p->king[side != 0] = row * kRow + column;
      p->board[row * kRow + column++] = (unsigned char)(kind | side);
    }
  }
  if (strncmp(text, " w ", 3) != 0 && strncmp(text, " b ", 3) != 0) return 0;
  p->side = text[1] == 'b' ? kBlack : 0;
  for (text += 3; *text != '\0' && *text != ' '; ++text) {
    p->castling |= *text == 'K' ? kWhiteShort : *text == 'Q' ? kWhiteLong
                 : *text == 'k' ? kBlackShort : *text == 'q' ? kBlackLong : 0;
  }
  if (text[0] == ' ' && text[1] >= 'a' && text[1] <= 'h' && isdigit((unsigned char)text[2])) {
    p->passed = (text[2] - '1') * kRow + text[1] - 'a';
  }
  return 1;
}

int main(int count, char** words) {
  const char* fen =
      count > 2 ? words[2] : "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
  const int depth = count > 1 ? atoi(words[1]) : 3;
  struct position start;
  if (!read_fen(fen, &start)) {
    fprintf(stderr, "perft: '%s' is no position\n", fen);
    return 2;
  }
  for (int d = 1; d <= depth; ++d) {
    printf("perft %d: %llu\n", d, (unsigned long long)perft(&start, d));
  }
  return 0;
}
