/* Threads on a machine that has one. A thread runs to its end when it is created: one of the orders
   in which real ones may run. What would wait for another thread waits for ever; it says so and
   ends the program. */
#pragma clang attribute push(__attribute__((weak)), apply_to = function)
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#pragma clang attribute pop
#include "library.h"

#include <setjmp.h>

enum { kMostKeys = 128, kFirst = 1 };

/* A thread that ended, or runs. */
struct ended {
  void* result;
  int is_joined;
};

static struct ended* threads; /* of number i + kFirst + 1 */
static unsigned long made;    /* how many there are; the first thread is not among them */

/* The thread that runs, and those that wait for it to end. */
struct running {
  unsigned long number;
  void* result;
  void* values[kMostKeys];
  jmp_buf end;
};

static struct running first = {.number = kFirst};
static struct running* current = &first;

static unsigned key_count;
static void (*destructors[kMostKeys])(void*);

static _Noreturn void stuck(const char* function) {
  fflush(stdout);
  fputs(function, stderr);
  fputs(" would wait for ever: a txvm program runs one thread at a time, each to its end\n", stderr);
  abort();
}

static void destroy_values(struct running* thread) {
  for (unsigned key = 0; key < key_count; ++key) {
    void* const value = thread->values[key];
    thread->values[key] = NULL;
    if (value != NULL && destructors[key] != NULL) destructors[key](value);
  }
}

/* Runs a new thread; `returns_int` tells C11's function from POSIX's. 0, or ENOMEM. */
static int run(unsigned long* thread, void* (*function)(void*), int (*other)(void*),
               void* argument) {
  struct running* const mine = calloc(1, sizeof(struct running));
  struct ended* const more = realloc(threads, (made + 1) * sizeof(struct ended));
  if (more != NULL) threads = more;
  if (mine == NULL || more == NULL) {
    free(mine);
    return ENOMEM;
  }
  mine->number = ++made + kFirst;
  threads[made - 1] = (struct ended){NULL, 0};
  *thread = mine->number;
  struct running* const before = current;
  current = mine;
  if (setjmp(mine->end) == 0) {
    mine->result = function != NULL ? function(argument) : (void*)(intptr_t)other(argument);
  }
  destroy_values(current);
  threads[current->number - kFirst - 1].result = current->result;
  current = before;
  free(mine);
  return 0;
}

static struct ended* find(unsigned long thread) {
  if (thread <= kFirst || thread - kFirst > made) return NULL;
  struct ended* const found = &threads[thread - kFirst - 1];
  return found->is_joined ? NULL : found;
}

static _Noreturn void end_current(void* result) {
  if (current == &first) exit(0);
  current->result = result;
  longjmp(current->end, 1);
}

static int join(unsigned long thread, void** result) {
  struct ended* const found = find(thread);
  if (found == NULL) return ESRCH;
  if (thread == current->number) return EDEADLK;
  if (result != NULL) *result = found->result;
  found->is_joined = 1;
  return 0;
}

static int lock(int* held, int kind, const char* function) {
  if (*held != 0 && kind == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  if (*held != 0 && kind != PTHREAD_MUTEX_RECURSIVE) stuck(function);
  ++*held;
  return 0;
}

static int try_lock(int* held, int kind) {
  if (*held != 0 && kind != PTHREAD_MUTEX_RECURSIVE) return EBUSY;
  ++*held;
  return 0;
}

static int unlock(int* held) {
  if (*held == 0) return EPERM;
  --*held;
  return 0;
}

int pthread_create(pthread_t* restrict thread, const pthread_attr_t* restrict attributes,
                   void* (*function)(void*), void* restrict argument) {
  (void)attributes;
  return run(thread, function, NULL, argument) == 0 ? 0 : EAGAIN;
}
int pthread_join(pthread_t thread, void** result) { return join(thread, result); }
int pthread_detach(pthread_t thread) { return join(thread, NULL); }
pthread_t pthread_self(void) { return current->number; }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }
_Noreturn void pthread_exit(void* result) { end_current(result); }
int pthread_cancel(pthread_t thread) { return find(thread) == NULL ? ESRCH : 0; }
int pthread_attr_init(pthread_attr_t* attributes) {
  *attributes = (pthread_attr_t){0};
  return 0;
}
int pthread_attr_destroy(pthread_attr_t* attributes) { return (void)attributes, 0; }
int pthread_attr_setdetachstate(pthread_attr_t* attributes, int state) {
  attributes->detached = state;
  return 0;
}
int pthread_attr_setstacksize(pthread_attr_t* attributes, size_t bytes) {
  return (void)attributes, (void)bytes, 0;
}
int pthread_mutexattr_init(pthread_mutexattr_t* attributes) {
  attributes->kind = PTHREAD_MUTEX_NORMAL;
  return 0;
}
int pthread_mutexattr_destroy(pthread_mutexattr_t* attributes) { return (void)attributes, 0; }
int pthread_mutexattr_settype(pthread_mutexattr_t* attributes, int kind) {
  attributes->kind = kind;
  return 0;
}
int pthread_mutex_init(pthread_mutex_t* restrict mutex,
                       const pthread_mutexattr_t* restrict attributes) {
  *mutex = (pthread_mutex_t){0, attributes == NULL ? PTHREAD_MUTEX_NORMAL : attributes->kind};
  return 0;
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) { return mutex->held != 0 ? EBUSY : 0; }
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  return lock(&mutex->held, mutex->kind, "pthread_mutex_lock");
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) { return try_lock(&mutex->held, mutex->kind); }
int pthread_mutex_unlock(pthread_mutex_t* mutex) { return unlock(&mutex->held); }
int pthread_cond_init(pthread_cond_t* restrict condition,
                      const pthread_condattr_t* restrict attributes) {
  return (void)condition, (void)attributes, 0;
}
int pthread_cond_destroy(pthread_cond_t* condition) { return (void)condition, 0; }
int pthread_cond_signal(pthread_cond_t* condition) { return (void)condition, 0; }
int pthread_cond_broadcast(pthread_cond_t* condition) { return (void)condition, 0; }
int pthread_cond_wait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex) {
  (void)condition, (void)mutex;
  stuck("pthread_cond_wait");
}
int pthread_cond_timedwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                           const struct timespec* restrict until) {
  return (void)condition, (void)mutex, (void)until, ETIMEDOUT;
}
int pthread_rwlock_init(pthread_rwlock_t* restrict rwlock,
                        const pthread_rwlockattr_t* restrict attributes) {
  (void)attributes;
  *rwlock = (pthread_rwlock_t){0, 0};
  return 0;
}
int pthread_rwlock_destroy(pthread_rwlock_t* rwlock) { return (void)rwlock, 0; }
int pthread_rwlock_rdlock(pthread_rwlock_t* rwlock) {
  if (rwlock->held != 0) stuck("pthread_rwlock_rdlock");
  ++rwlock->readers;
  return 0;
}
int pthread_rwlock_wrlock(pthread_rwlock_t* rwlock) {
  if (rwlock->held != 0 || rwlock->readers != 0) stuck("pthread_rwlock_wrlock");
  rwlock->held = 1;
  return 0;
}
int pthread_rwlock_unlock(pthread_rwlock_t* rwlock) {
  if (rwlock->held != 0) {
    rwlock->held = 0;
  } else if (rwlock->readers != 0) {
    --rwlock->readers;
  } else {
    return EPERM;
  }
  return 0;
}
int pthread_barrier_init(pthread_barrier_t* restrict barrier,
                         const pthread_barrierattr_t* restrict attributes, unsigned count) {
  (void)attributes;
  barrier->count = count;
  return count == 0 ? EINVAL : 0;
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) { return (void)barrier, 0; }
int pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (barrier->count > 1) stuck("pthread_barrier_wait");
  return PTHREAD_BARRIER_SERIAL_THREAD;
}
int pthread_once(pthread_once_t* once, void (*function)(void)) {
  if (*once == 0) {
    *once = 1;
    function();
  }
  return 0;
}
int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  if (key_count == kMostKeys) return EAGAIN;
  destructors[key_count] = destructor;
  *key = key_count++;
  return 0;
}
int pthread_key_delete(pthread_key_t key) {
  if (key >= key_count) return EINVAL;
  destructors[key] = NULL;
  return 0;
}
void* pthread_getspecific(pthread_key_t key) {
  return key < key_count ? current->values[key] : NULL;
}
int pthread_setspecific(pthread_key_t key, const void* value) {
  if (key >= key_count) return EINVAL;
  current->values[key] = (void*)value;
  return 0;
}
int sched_yield(void) { return 0; }

static int as_thrd(int error) {
  return error == 0 ? thrd_success : error == EBUSY ? thrd_busy : thrd_error;
}

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  return run(thread, NULL, function, argument) == 0 ? thrd_success : thrd_nomem;
}
int thrd_join(thrd_t thread, int* result) {
  void* value = NULL;
  const int error = join(thread, &value);
  if (error == 0 && result != NULL) *result = (int)(intptr_t)value;
  return as_thrd(error);
}
int thrd_detach(thrd_t thread) { return as_thrd(join(thread, NULL)); }
thrd_t thrd_current(void) { return current->number; }
int thrd_equal(thrd_t a, thrd_t b) { return a == b; }
_Noreturn void thrd_exit(int result) { end_current((void*)(intptr_t)result); }
int thrd_sleep(const struct timespec* time, struct timespec* rest) { return nanosleep(time, rest); }
void thrd_yield(void) {}
int mtx_init(mtx_t* mutex, int kind) {
  *mutex = (mtx_t){0, (kind & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL};
  return thrd_success;
}
void mtx_destroy(mtx_t* mutex) { (void)mutex; }
int mtx_lock(mtx_t* mutex) { return as_thrd(lock(&mutex->held, mutex->kind, "mtx_lock")); }
int mtx_trylock(mtx_t* mutex) { return as_thrd(try_lock(&mutex->held, mutex->kind)); }
int mtx_timedlock(mtx_t* restrict mutex, const struct timespec* restrict until) {
  (void)until;
  return try_lock(&mutex->held, mutex->kind) == 0 ? thrd_success : thrd_timedout;
}
int mtx_unlock(mtx_t* mutex) { return as_thrd(unlock(&mutex->held)); }
int cnd_init(cnd_t* condition) { return (void)condition, thrd_success; }
void cnd_destroy(cnd_t* condition) { (void)condition; }
int cnd_signal(cnd_t* condition) { return (void)condition, thrd_success; }
int cnd_broadcast(cnd_t* condition) { return (void)condition, thrd_success; }
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  (void)condition, (void)mutex;
  stuck("cnd_wait");
}
int cnd_timedwait(cnd_t* restrict condition, mtx_t* restrict mutex,
                  const struct timespec* restrict until) {
  return (void)condition, (void)mutex, (void)until, thrd_timedout;
}
int tss_create(tss_t* key, tss_dtor_t destructor) {
  return as_thrd(pthread_key_create(key, destructor));
}
void tss_delete(tss_t key) { pthread_key_delete(key); }
void* tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void* value) { return as_thrd(pthread_setspecific(key, value)); }
void call_once(once_flag* flag, void (*function)(void)) { pthread_once(flag, function); }

int sem_init(sem_t* semaphore, int is_shared, unsigned value) {
  (void)is_shared;
  semaphore->value = value;
  return 0;
}
int sem_destroy(sem_t* semaphore) { return (void)semaphore, 0; }
int sem_wait(sem_t* semaphore) {
  if (semaphore->value == 0) stuck("sem_wait");
  --semaphore->value;
  return 0;
}
int sem_trywait(sem_t* semaphore) {
  if (semaphore->value == 0) {
    errno = EAGAIN;
    return -1;
  }
  --semaphore->value;
  return 0;
}
int sem_post(sem_t* semaphore) {
  ++semaphore->value;
  return 0;
}
int sem_getvalue(sem_t* restrict semaphore, int* restrict value) {
  *value = (int)semaphore->value;
  return 0;
}
