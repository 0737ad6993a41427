/* One thread at a time: runtime/thread.c says how. */
#pragma once
typedef struct {
  unsigned value;
} sem_t;
int sem_init(sem_t* semaphore, int is_shared, unsigned value);
int sem_destroy(sem_t* semaphore);
int sem_wait(sem_t* semaphore);
int sem_trywait(sem_t* semaphore);
int sem_post(sem_t* semaphore);
int sem_getvalue(sem_t* restrict semaphore, int* restrict value);
