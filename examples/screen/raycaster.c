// A walk through a maze, drawn ray by ray. It needs nothing from outside: no floats, no files.
//   txvm play examples/screen/raycaster.c
//   txvm play examples/screen/raycaster.c --frames 120 --gif raycaster.gif
// Without a key pressed it walks by itself; the arrows take over.
#include <stdint.h>
#include <txvm_screen.h>

enum { kWidth = 320, kHeight = 200, kSide = 16, kOne = 1 << 16 };

static uint32_t pixels[kWidth * kHeight];
static int32_t x = kOne * 3 / 2, y = kOne * 3 / 2;
static uint32_t angle;  // a turn is 1024

// The letters are colours of walls.
static const char map[kSide][kSide + 1] = {
    "AAAAAAAAAAAAAAAA", "A..............A", "A.BBB.CCCC.DDD.A", "A.B........D...A",
    "A.B.CC..AA.D.B.A", "A...C....A...B.A", "A.D.C.BB.A.CCB.A", "A.D...B........A",
    "A.DD..B.CC.AA..A", "A.......C...A.CA", "A.BB.AA.C.D.A.CA", "A..B.A....D....A",
    "A.CB.A.BB.DDD..A", "A.C....B.......A", "A..............A", "AAAAAAAAAAAAAAAA",
};

// sin of a quarter turn by its Taylor series, as 16.16: exact to a few units.
static int32_t sine(uint32_t turn) {
  turn &= 1023;
  if (turn >= 512) return -sine(turn - 512);
  if (turn > 256) turn = 512 - turn;
  const int32_t a = (int32_t)(turn * 6434) >> 4;  // 2 pi / 1024 is 402.12 of 65536
  const int32_t square = (int32_t)((int64_t)a * a >> 16);
  int64_t sum = kOne - square / 42;
  sum = kOne - (sum * (square / 20) >> 16);
  sum = kOne - (sum * (square / 6) >> 16);
  return (int32_t)(sum * a >> 16);
}

static int32_t times(int32_t a, int32_t b) { return (int32_t)((int64_t)a * b >> 16); }

static int32_t magnitude(int32_t a) { return a < 0 ? -a : a; }

static char cell(int32_t at_x, int32_t at_y) { return map[(at_y >> 16) & 15][(at_x >> 16) & 15]; }

static uint32_t shade(uint32_t color, uint32_t light) {
  const uint32_t red = (color >> 16) * light >> 8;
  const uint32_t green = (color >> 8 & 255) * light >> 8;
  const uint32_t blue = (color & 255) * light >> 8;
  return red << 16 | green << 8 | blue;
}

// One column: the ray goes from one edge of a cell to the next until it meets a wall.
static void draw_column(int column) {
  const int32_t forward_x = sine(angle + 256), forward_y = sine(angle);
  const int32_t across = (column * 2 - kWidth) * (kOne / kWidth) / 3 * 2;
  const int32_t ray_x = forward_x - times(forward_y, across);
  const int32_t ray_y = forward_y + times(forward_x, across);
  int32_t cell_x = x >> 16, cell_y = y >> 16;
  const int32_t far = 1 << 28;
  const int32_t step_x = ray_x == 0 ? far : (int32_t)(((int64_t)kOne << 16) / magnitude(ray_x));
  const int32_t step_y = ray_y == 0 ? far : (int32_t)(((int64_t)kOne << 16) / magnitude(ray_y));
  int32_t next_x = times(step_x, ray_x < 0 ? x & 0xFFFF : kOne - (x & 0xFFFF));
  int32_t next_y = times(step_y, ray_y < 0 ? y & 0xFFFF : kOne - (y & 0xFFFF));
  int32_t distance = 0;
  int is_side = 0;
  while (map[cell_y][cell_x] == '.') {
    if (next_x < next_y) {
      distance = next_x, next_x += step_x, is_side = 0, cell_x += ray_x < 0 ? -1 : 1;
    } else {
      distance = next_y, next_y += step_y, is_side = 1, cell_y += ray_y < 0 ? -1 : 1;
    }
  }
  if (distance < 256) distance = 256;
  const int32_t height = (int32_t)(((int64_t)kHeight << 16) / distance);
  const int32_t where = is_side ? x + times(ray_x, distance) : y + times(ray_y, distance);
  const int32_t top = kHeight / 2 - height / 2;
  static const uint32_t kColors[4] = {0xC8B090, 0xB04838, 0x4878A8, 0x58904C};
  uint32_t light = 256 * 4 / (4 + (uint32_t)(distance >> 15));
  if (is_side) light = light * 3 / 4;
  const uint32_t bright = shade(kColors[map[cell_y][cell_x] - 'A'], light);
  const uint32_t dark = shade(bright, 160);
  const uint32_t brick_x = (uint32_t)where >> 13 & 7;
  const uint32_t texture_step = (uint32_t)((16 << 16) / (height > 0 ? height : 1));
  uint32_t texture = top < 0 ? (uint32_t)-top * texture_step : 0;
  uint32_t *pixel = pixels + column;
  for (int row = 0; row < kHeight; ++row, pixel += kWidth) {
    if (row < top) {
      *pixel = 0x182030 + (uint32_t)(row >> 2) * 0x010102;
    } else if (row >= top + height) {
      *pixel = 0x202018 + (uint32_t)((row - kHeight / 2) >> 1) * 0x010101;
    } else {
      const uint32_t brick_y = texture >> 16;
      texture += texture_step;
      const uint32_t joint = (brick_y & 3) == 0 || ((brick_x + (brick_y & 4 ? 4 : 0)) & 7) == 0;
      *pixel = joint ? dark : bright;
    }
  }
}

static void walk(int32_t distance) {
  const int32_t new_x = x + times(sine(angle + 256), distance);
  const int32_t new_y = y + times(sine(angle), distance);
  if (cell(new_x, y) == '.') x = new_x;
  if (cell(x, new_y) == '.') y = new_y;
}

int main(void) {
  int held[4] = {0, 0, 0, 0};  // left, right, up, down
  int is_alone = 1;
  screen_title("txvm: a maze, ray by ray");
  for (uint32_t frame = 0;; ++frame) {
    for (uint32_t event; (event = screen_key()) != 0;) {
      const uint32_t key = event & SCREEN_KEY_CODE;
      if (key == SCREEN_ESCAPE) return 0;
      if (key < SCREEN_LEFT || key > SCREEN_DOWN) continue;
      held[key - SCREEN_LEFT] = (event & SCREEN_KEY_DOWN) != 0;
      is_alone = 0;
    }
    if (is_alone) {
      // Straight on until a wall is near, then to the right.
      const int32_t ahead_x = x + times(sine(angle + 256), kOne * 9 / 10);
      const int32_t ahead_y = y + times(sine(angle), kOne * 9 / 10);
      if (cell(ahead_x, ahead_y) == '.') {
        walk(kOne / 12);
      } else {
        angle += 8;
      }
    } else {
      angle += (uint32_t)(held[1] - held[0]) * 12;
      walk((held[2] - held[3]) * (kOne / 12));
    }
    for (int column = 0; column < kWidth; ++column) draw_column(column);
    screen_draw(pixels, kWidth, kHeight);
  }
}
