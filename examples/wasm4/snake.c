// A snake for the WASM-4 console: the arrows turn it, X begins again.
//   txvm play examples/wasm4/snake.c
//   txvm play examples/wasm4/snake.c --frames 600 --keys 1 --gif snake.gif
#include <stdint.h>

#define HOST(name) __attribute__((import_module("env"), import_name(#name)))
HOST(blit) void blit(const uint8_t *sprite, int32_t x, int32_t y, uint32_t width, uint32_t height, uint32_t flags);
HOST(rect) void rect(int32_t x, int32_t y, uint32_t width, uint32_t height);
HOST(text) void text(const char *text, int32_t x, int32_t y);
HOST(tone) void tone(uint32_t frequency, uint32_t duration, uint32_t volume, uint32_t flags);

// Registers of the console. Below 8 MiB is the C stack, of which these are the unused end.
#define PALETTE ((volatile uint32_t *)0x04)
#define DRAW_COLORS (*(volatile uint16_t *)0x14)
#define GAMEPAD (*(volatile uint8_t *)0x16)

enum { kSide = 20, kCell = 8, kMost = kSide * kSide, kFramesAStep = 6 };
enum { kButton1 = 1, kLeft = 16, kRight = 32, kUp = 64, kDown = 128 };

struct Cell {
  int8_t x, y;
};

static struct Cell snake[kMost], fruit, heading;
static uint32_t length, frame, seed = 1;
static int is_over;

static const uint8_t apple[8] = {0x0C, 0x10, 0x7E, 0xFF, 0xFF, 0xFF, 0x7E, 0x3C};

static uint32_t draw(uint32_t below) {
  seed = seed * 1664525 + 1013904223;
  return (seed >> 8) % below;
}

static int is_on_snake(struct Cell cell) {
  for (uint32_t i = 0; i < length; ++i) {
    if (snake[i].x == cell.x && snake[i].y == cell.y) return 1;
  }
  return 0;
}

static void place_fruit(void) {
  do {
    fruit = (struct Cell){(int8_t)draw(kSide), (int8_t)(1 + draw(kSide - 1))};
  } while (is_on_snake(fruit));
}

static void begin(void) {
  length = 3;
  heading = (struct Cell){1, 0};
  for (int8_t i = 0; i < 3; ++i) snake[i] = (struct Cell){(int8_t)(4 - i), 10};
  is_over = 0;
  place_fruit();
}

static void turn(void) {
  const uint8_t pad = GAMEPAD;
  if (heading.x == 0) {
    if (pad & kLeft) heading = (struct Cell){-1, 0};
    if (pad & kRight) heading = (struct Cell){1, 0};
  } else {
    if (pad & kUp) heading = (struct Cell){0, -1};
    if (pad & kDown) heading = (struct Cell){0, 1};
  }
}

static void step(void) {
  struct Cell head = {(int8_t)(snake[0].x + heading.x), (int8_t)(snake[0].y + heading.y)};
  if (head.x < 0) head.x = kSide - 1;
  if (head.x == kSide) head.x = 0;
  if (head.y < 1) head.y = kSide - 1;  // the first row has the score
  if (head.y == kSide) head.y = 1;
  if (is_on_snake(head)) {
    is_over = 1;
    tone(120, 30, 60, 0);
    return;
  }
  const int eats = head.x == fruit.x && head.y == fruit.y;
  if (eats && length < kMost) ++length;
  for (uint32_t i = length - 1; i > 0; --i) snake[i] = snake[i - 1];
  snake[0] = head;
  if (eats) {
    tone(600, 5, 50, 0);
    place_fruit();
  }
}

static void show(void) {
  static char score[] = "score 000";
  const uint32_t points = length - 3;
  score[6] = (char)('0' + points / 100);
  score[7] = (char)('0' + points / 10 % 10);
  score[8] = (char)('0' + points % 10);
  DRAW_COLORS = 0x0004;
  text(score, 2, 0);
  DRAW_COLORS = 0x0030;
  blit(apple, fruit.x * kCell, fruit.y * kCell, kCell, kCell, 0);
  for (uint32_t i = 0; i < length; ++i) {
    DRAW_COLORS = i == 0 ? 0x0044 : 0x0042;
    rect(snake[i].x * kCell, snake[i].y * kCell, kCell, kCell);
  }
  if (is_over) {
    DRAW_COLORS = 0x0014;
    text(" press X ", 44, 76);
  }
}

void start(void) {
  PALETTE[0] = 0xFFF6D3, PALETTE[1] = 0xF9A875, PALETTE[2] = 0xEB6B6F, PALETTE[3] = 0x7C3F58;
  begin();
}

void update(void) {
  seed += GAMEPAD;
  turn();
  if (is_over && (GAMEPAD & kButton1)) begin();
  if (!is_over && ++frame % kFramesAStep == 0) step();
  show();
}
