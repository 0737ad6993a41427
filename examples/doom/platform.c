// What doomgeneric asks of a platform, by the functions of txvm_screen.h.
// build.sh compiles it with a checkout of https://github.com/ozkl/doomgeneric; nothing of that is here.
#include <txvm_screen.h>

#include "doomgeneric.h"
#include "doomkeys.h"

void DG_Init(void) {}

void DG_DrawFrame(void) { screen_draw(DG_ScreenBuffer, DOOMGENERIC_RESX, DOOMGENERIC_RESY); }

void DG_SleepMs(uint32_t milliseconds) { screen_sleep(milliseconds); }

uint32_t DG_GetTicksMs(void) { return screen_ticks(); }

void DG_SetWindowTitle(const char *title) { screen_title(title); }

static unsigned char DoomKey(uint32_t key) {
  switch (key) {
    case SCREEN_LEFT:
      return KEY_LEFTARROW;
    case SCREEN_RIGHT:
      return KEY_RIGHTARROW;
    case SCREEN_UP:
      return KEY_UPARROW;
    case SCREEN_DOWN:
      return KEY_DOWNARROW;
    case SCREEN_CONTROL:
      return KEY_FIRE;
    case ' ':
      return KEY_USE;
    case SCREEN_SHIFT:
      return KEY_RSHIFT;
    case SCREEN_ALT:
      return KEY_RALT;
    case SCREEN_BACKSPACE:
      return KEY_BACKSPACE;
    case SCREEN_ENTER:
      return KEY_ENTER;
    case SCREEN_ESCAPE:
      return KEY_ESCAPE;
    case SCREEN_TAB:
      return KEY_TAB;
    default:
      break;
  }
  if (key >= SCREEN_F1 && key < SCREEN_F1 + 10) return (unsigned char)(KEY_F1 + (key - SCREEN_F1));
  return (unsigned char)key;
}

int DG_GetKey(int *pressed, unsigned char *key) {
  const uint32_t event = screen_key();
  if (event == 0) return 0;
  *pressed = (event & SCREEN_KEY_DOWN) != 0;
  *key = DoomKey(event & SCREEN_KEY_CODE);
  return 1;
}

int main(int argc, char **argv) {
  doomgeneric_Create(argc, argv);
  for (;;) doomgeneric_Tick();
}
