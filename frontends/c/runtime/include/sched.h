/* One thread at a time. */
#pragma once
int sched_yield(void);
