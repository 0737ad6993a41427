/* The cheapest assignment of n workers to n jobs, by shortest augmenting paths with potentials
   (Kuhn, Munkres). Costs come from a linear congruential generator: hungarian N [SEED]. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 64 };

static int cost[kMost + 1][kMost + 1];          /* [worker][job], both from 1 */
static int row_price[kMost + 1], column_price[kMost + 1];
static int worker_of[kMost + 1];                /* of each job; 0: none */

/* Finds a job for one more worker along the shortest path of reduced costs. */
static void assign(int worker, int n) {
  int shortest[kMost + 1], came_from[kMost + 1], is_done[kMost + 1];
  for (int job = 0; job <= n; ++job) {
    shortest[job] = INT_MAX;
    is_done[job] = 0;
  }
  int at = 0;
  worker_of[0] = worker;
  do {
    is_done[at] = 1;
    const int row = worker_of[at];
    int delta = INT_MAX, next = 0;
    for (int job = 1; job <= n; ++job) {
      if (is_done[job]) continue;
      const int reduced = cost[row][job] - row_price[row] - column_price[job];
      if (reduced < shortest[job]) {
        shortest[job] = reduced;
        came_from[job] = at;
      }
      if (shortest[job] < delta) {
        delta = shortest[job];
        next = job;
      }
    }
    for (int job = 0; job <= n; ++job) {
      if (is_done[job]) {
        row_price[worker_of[job]] += delta;
        column_price[job] -= delta;
      } else if (shortest[job] != INT_MAX) {
        shortest[job] -= delta;
      }
    }
    at = next;
  } while (worker_of[at] != 0);
  for (; at != 0; at = came_from[at]) worker_of[at] = worker_of[came_from[at]];
}

int main(int count, char** words) {
  const int n = count > 1 ? atoi(words[1]) : 8;
  if (n < 1 || n > kMost) {
    fprintf(stderr, "hungarian: %d workers; 1 to %d can be assigned\n", n, kMost);
    return 2;
  }
  unsigned random = count > 2 ? (unsigned)strtoul(words[2], NULL, 10) : 1;
  for (int worker = 1; worker <= n; ++worker) {
    for (int job = 1; job <= n; ++job) {
      random = random * 1664525u + 1013904223u;
      cost[worker][job] = (int)(random >> 24) - 20;
    }
  }
  for (int worker = 1; worker <= n; ++worker) assign(worker, n);
  int total = 0;
  for (int job = 1; job <= n; ++job) {
    printf("worker %2d does job %2d for %4d\n", worker_of[job], job, cost[worker_of[job]][job]);
    total += cost[worker_of[job]][job];
  }
  printf("total %d\n", total);
  return 0;
}
