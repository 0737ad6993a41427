/* Frames and keys: what a program calls that `txvm play` runs. */
#pragma once

#include <stdint.h>

/* Shows a frame: width * height pixels 0x00RRGGBB, rows from the top. A side has 1 to 4,096. Does
   not return when the last frame was shown or the window is closed: the program then ends. */
__attribute__((import_module("screen"), import_name("draw"))) void screen_draw(
    const uint32_t *pixels, uint32_t width, uint32_t height);

/* The next key that went down or up; 0 when there is none. */
__attribute__((import_module("screen"), import_name("key"))) uint32_t screen_key(void);

/* Milliseconds since the beginning. Without a window they are those of the frames drawn, and of
   screen_sleep: every run then sees the same. */
__attribute__((import_module("screen"), import_name("ticks"))) uint32_t screen_ticks(void);

/* Lets milliseconds go by. */
__attribute__((import_module("screen"), import_name("sleep"))) void screen_sleep(
    uint32_t milliseconds);

/* Names the window. */
__attribute__((import_module("screen"), import_name("title"))) void screen_title(const char *text);

/* An event of screen_key: the key, and this bit where it went down. */
#define SCREEN_KEY_DOWN 0x100
#define SCREEN_KEY_CODE 0xFF

/* Keys beside those that are their lower-case ASCII character. */
enum {
  SCREEN_BACKSPACE = 8,
  SCREEN_TAB = 9,
  SCREEN_ENTER = 13,
  SCREEN_ESCAPE = 27,
  SCREEN_LEFT = 128,
  SCREEN_RIGHT,
  SCREEN_UP,
  SCREEN_DOWN,
  SCREEN_SHIFT,
  SCREEN_CONTROL,
  SCREEN_ALT,
  SCREEN_F1 /* and F2 to F12 after it */
};
