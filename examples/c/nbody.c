/* The sun and its four largest planets: nbody STEPS prints the system's energy before and after.
   Every line also has the bits of the number, which are the same on every machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBodies = 5 };
#define PI 3.141592653589793
#define SOLAR_MASS (4 * PI * PI)
#define DAYS_PER_YEAR 365.24

struct body {
  double x, y, z, vx, vy, vz, mass;
};

static struct body bodies[kBodies] = {
    {0, 0, 0, 0, 0, 0, SOLAR_MASS},
    {4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01,
     1.66007664274403694e-03 * DAYS_PER_YEAR, 7.69901118419740425e-03 * DAYS_PER_YEAR,
     -6.90460016972063023e-05 * DAYS_PER_YEAR, 9.54791938424326609e-04 * SOLAR_MASS},
    {8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01,
     -2.76742510726411021e-03 * DAYS_PER_YEAR, 4.99852801234917238e-03 * DAYS_PER_YEAR,
     2.30417297573763929e-05 * DAYS_PER_YEAR, 2.85885980666130812e-04 * SOLAR_MASS},
    {1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01,
     2.96460137564761618e-03 * DAYS_PER_YEAR, 2.37847173959480950e-03 * DAYS_PER_YEAR,
     -2.96589568540237556e-05 * DAYS_PER_YEAR, 4.36624404335156298e-05 * SOLAR_MASS},
    {1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01,
     2.68067772490389322e-03 * DAYS_PER_YEAR, 1.62824170038242295e-03 * DAYS_PER_YEAR,
     -9.51592254519715870e-05 * DAYS_PER_YEAR, 5.15138902046611451e-05 * SOLAR_MASS}};

static void stop_the_drift(void) {
  double px = 0, py = 0, pz = 0;
  for (int i = 0; i < kBodies; ++i) {
    px += bodies[i].vx * bodies[i].mass;
    py += bodies[i].vy * bodies[i].mass;
    pz += bodies[i].vz * bodies[i].mass;
  }
  bodies[0].vx = -px / SOLAR_MASS;
  bodies[0].vy = -py / SOLAR_MASS;
  bodies[0].vz = -pz / SOLAR_MASS;
}

static double energy(void) {
  double sum = 0;
  for (int i = 0; i < kBodies; ++i) {
    const struct body* a = &bodies[i];
    sum += 0.5 * a->mass * (a->vx * a->vx + a->vy * a->vy + a->vz * a->vz);
    for (int j = i + 1; j < kBodies; ++j) {
      const struct body* b = &bodies[j];
      const double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
      sum -= a->mass * b->mass / __builtin_sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return sum;
}

static void advance(double dt) {
  for (int i = 0; i < kBodies; ++i) {
    struct body* a = &bodies[i];
    for (int j = i + 1; j < kBodies; ++j) {
      struct body* b = &bodies[j];
      const double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
      const double square = dx * dx + dy * dy + dz * dz;
      const double pull = dt / (square * __builtin_sqrt(square));
      a->vx -= dx * b->mass * pull;
      a->vy -= dy * b->mass * pull;
      a->vz -= dz * b->mass * pull;
      b->vx += dx * a->mass * pull;
      b->vy += dy * a->mass * pull;
      b->vz += dz * a->mass * pull;
    }
  }
  for (int i = 0; i < kBodies; ++i) {
    bodies[i].x += dt * bodies[i].vx;
    bodies[i].y += dt * bodies[i].vy;
    bodies[i].z += dt * bodies[i].vz;
  }
}

/* The number to nine places, and its bits. */
static void show(double value) {
  unsigned long long bits;
  memcpy(&bits, &value, sizeof bits);
  const long long scaled = (long long)(__builtin_fabs(value) * 1e9 + 0.5);
  printf("%s%lld.%09lld  %016llx\n", value < 0 ? "-" : "", scaled / 1000000000,
         scaled % 1000000000, bits);
}

int main(int count, char** words) {
  const int steps = count > 1 ? atoi(words[1]) : 100;
  stop_the_drift();
  show(energy());
  for (int i = 0; i < steps; ++i) advance(0.01);
  show(energy());
  return 0;
}
