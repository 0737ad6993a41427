/* One thread at a time: runtime/thread.c says how. */
#pragma once
#include <time.h>
typedef unsigned long thrd_t;
typedef int (*thrd_start_t)(void*);
typedef struct {
  int held, kind;
} mtx_t;
typedef struct {
  int unused;
} cnd_t;
typedef unsigned tss_t;
typedef void (*tss_dtor_t)(void*);
typedef int once_flag;
#define ONCE_FLAG_INIT 0
#define thread_local _Thread_local
#define TSS_DTOR_ITERATIONS 1
enum { thrd_success, thrd_nomem, thrd_timedout, thrd_busy, thrd_error };
enum { mtx_plain, mtx_recursive, mtx_timed };
int thrd_create(thrd_t* thread, thrd_start_t function, void* argument);
int thrd_join(thrd_t thread, int* result);
int thrd_detach(thrd_t thread);
thrd_t thrd_current(void);
int thrd_equal(thrd_t a, thrd_t b);
_Noreturn void thrd_exit(int result);
int thrd_sleep(const struct timespec* time, struct timespec* rest);
void thrd_yield(void);
int mtx_init(mtx_t* mutex, int kind);
void mtx_destroy(mtx_t* mutex);
int mtx_lock(mtx_t* mutex);
int mtx_trylock(mtx_t* mutex);
int mtx_timedlock(mtx_t* restrict mutex, const struct timespec* restrict until);
int mtx_unlock(mtx_t* mutex);
int cnd_init(cnd_t* condition);
void cnd_destroy(cnd_t* condition);
int cnd_signal(cnd_t* condition);
int cnd_broadcast(cnd_t* condition);
int cnd_wait(cnd_t* condition, mtx_t* mutex);
int cnd_timedwait(cnd_t* restrict condition, mtx_t* restrict mutex,
                  const struct timespec* restrict until);
int tss_create(tss_t* key, tss_dtor_t destructor);
void tss_delete(tss_t key);
void* tss_get(tss_t key);
int tss_set(tss_t key, void* value);
void call_once(once_flag* flag, void (*function)(void));
