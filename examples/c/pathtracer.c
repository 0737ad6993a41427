/* Three balls in a box, lit by the ceiling: pathtracer COLUMNS ROWS SAMPLES writes a PPM picture to
   standard output. Every path of light bounces at most five times. */
#include <stdio.h>
#include <stdlib.h>

struct vector {
  float x, y, z;
};
struct ball {
  struct vector centre;
  float radius;
  struct vector colour;
  float light;
  int is_mirror;
};

/* The walls are balls so large that they look flat. */
static const struct ball kBalls[] = {
    {{-1e3f - 2, 0, 0}, 1e3f, {.75f, .25f, .25f}, 0, 0}, /* left */
    {{1e3f + 2, 0, 0}, 1e3f, {.25f, .25f, .75f}, 0, 0},  /* right */
    {{0, 0, 1e3f + 6}, 1e3f, {.75f, .75f, .75f}, 0, 0},  /* back */
    {{0, -1e3f - 1.5f, 0}, 1e3f, {.7f, .7f, .7f}, 0, 0}, /* floor */
    {{0, 1e3f + 1.5f, 0}, 1e3f, {1, 1, 1}, 1.6f, 0},     /* ceiling */
    {{-.9f, -.8f, 4.4f}, .7f, {.95f, .95f, .95f}, 0, 1},
    {{.8f, -.9f, 3.6f}, .6f, {.95f, .8f, .3f}, 0, 0},
    {{.1f, -1.2f, 2.9f}, .3f, {.3f, .8f, .4f}, 0, 0}};
enum { kBallCount = sizeof kBalls / sizeof kBalls[0], kMostBounces = 5 };

static struct vector make(float x, float y, float z) { return (struct vector){x, y, z}; }
static struct vector plus(struct vector a, struct vector b) {
  return make(a.x + b.x, a.y + b.y, a.z + b.z);
}
static struct vector times(struct vector a, float f) { return make(a.x * f, a.y * f, a.z * f); }
static float dot(struct vector a, struct vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static struct vector unit(struct vector a) { return times(a, 1 / __builtin_sqrtf(dot(a, a))); }

static unsigned state = 1;
/* From -1 to 1. */
static float random_number(void) {
  state = state * 1664525u + 1013904223u;
  return (float)(int)state / 2147483648.0f;
}

/* A random direction: a point of the cube that lies in the ball. */
static struct vector random_direction(void) {
  struct vector v;
  do {
    v.x = random_number();
    v.y = random_number();
    v.z = random_number();
  } while (dot(v, v) > 1 || dot(v, v) < 1e-4f);
  return unit(v);
}

/* Where the ray first meets the ball; 0 when it does not. In double: the walls are large. */
static float meet(const struct ball* b, struct vector from, struct vector along) {
  const double x = (double)b->centre.x - from.x, y = (double)b->centre.y - from.y,
               z = (double)b->centre.z - from.z;
  const double half = x * along.x + y * along.y + z * along.z;
  const double rest = half * half - (x * x + y * y + z * z) + (double)b->radius * b->radius;
  if (rest < 0) return 0;
  const double root = __builtin_sqrt(rest);
  if (half - root > 1e-3) return (float)(half - root);
  return half + root > 1e-3 ? (float)(half + root) : 0;
}

static struct vector trace(struct vector from, struct vector along) {
  struct vector light = make(0, 0, 0), carried = make(1, 1, 1);
  for (int bounce = 0; bounce < kMostBounces; ++bounce) {
    const struct ball* hit = 0;
    float nearest = 1e9f;
    for (int i = 0; i < kBallCount; ++i) {
      const float distance = meet(&kBalls[i], from, along);
      if (distance == 0 || distance >= nearest) continue;
      nearest = distance;
      hit = &kBalls[i];
    }
    if (hit == 0) return light;
    light = plus(light, times(carried, hit->light));
    carried = make(carried.x * hit->colour.x, carried.y * hit->colour.y,
                   carried.z * hit->colour.z);
    from = plus(from, times(along, nearest));
    struct vector out = unit(plus(from, times(hit->centre, -1)));
    if (dot(out, along) > 0) out = times(out, -1);
    along = hit->is_mirror ? plus(along, times(out, -2 * dot(out, along)))
                           : unit(plus(out, times(random_direction(), .99f)));
  }
  return light;
}

static void put(float value) {
  const float shade = __builtin_sqrtf(value < 0 ? 0 : value > 1 ? 1 : value); /* gamma 2 */
  putchar((int)(shade * 255 + .5f));
}

int main(int count, char** words) {
  const int columns = count > 1 ? atoi(words[1]) : 32, rows = count > 2 ? atoi(words[2]) : 24;
  const int samples = count > 3 ? atoi(words[3]) : 4;
  printf("P6\n%d %d\n255\n", columns, rows);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      struct vector sum = make(0, 0, 0);
      for (int i = 0; i < samples; ++i) {
        const float x = (column + .5f + random_number() / 2) / columns * 2 - 1;
        const float y = 1 - (row + .5f + random_number() / 2) / rows * 2;
        sum = plus(sum, trace(make(0, 0, -1), unit(make(x, y * rows / columns, 1.6f))));
      }
      put(sum.x / samples);
      put(sum.y / samples);
      put(sum.z / samples);
    }
  }
  return 0;
}
