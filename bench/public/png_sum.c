/* Decodes a PNG by stb_image.h and prints its size and a sum of its pixels. */
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stdio.h>

#include "stb_image.h"

int main(int count, char** words) {
  int width, height, channels;
  if (count != 2) return 2;
  unsigned char* pixels = stbi_load(words[1], &width, &height, &channels, 4);
  if (pixels == NULL) {
    printf("%s\n", stbi_failure_reason());
    return 1;
  }
  unsigned sum = 2166136261u;
  for (int i = 0; i < width * height * 4; ++i) sum = (sum ^ pixels[i]) * 16777619u;
  printf("%d x %d, %d channels, %08x\n", width, height, channels, sum);
  return 0;
}
