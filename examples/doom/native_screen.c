// The functions of txvm_screen.h for a build by gcc: prints the hash of each frame, as
// `txvm play --hashes` does, and ends after FRAMES frames.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef RATE
#define RATE 35
#endif

static uint64_t frames, slept;

static uint64_t Mix(uint64_t hash, uint32_t word) { return (hash ^ word) * 0x100000001b3; }

void screen_draw(const uint32_t *pixels, uint32_t width, uint32_t height) {
  const char *const most = getenv("FRAMES");
  uint64_t hash = Mix(Mix(0xcbf29ce484222325, width), height);
  for (uint32_t i = 0; i < width * height; ++i) hash = Mix(hash, pixels[i] & 0xFFFFFF);
  ++frames;
  fprintf(stderr, "%llu %016llx\n", (unsigned long long)frames, (unsigned long long)hash);
  if (most != NULL && frames >= strtoull(most, NULL, 10)) exit(0);
}
uint32_t screen_key(void) { return 0; }
uint32_t screen_ticks(void) { return (uint32_t)(frames * 1000 / RATE + slept); }
void screen_sleep(uint32_t milliseconds) { slept += milliseconds; }
void screen_title(const char *text) { (void)text; }
