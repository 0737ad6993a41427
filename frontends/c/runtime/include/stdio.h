/* Streams, formatting and scanning. Files are those below the folders of --dir. */
#pragma once
#include <stdarg.h>
#include <stddef.h>
#define EOF (-1)
#define BUFSIZ 1024
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
typedef __PTRDIFF_TYPE__ ssize_t;
typedef struct __txvm_file FILE;
extern FILE* const stdin;
extern FILE* const stdout;
extern FILE* const stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr
#define TXVM_PRINTF(text, first) __attribute__((format(printf, text, first)))
int printf(const char* restrict format, ...) TXVM_PRINTF(1, 2);
int fprintf(FILE* restrict file, const char* restrict format, ...) TXVM_PRINTF(2, 3);
int sprintf(char* restrict to, const char* restrict format, ...) TXVM_PRINTF(2, 3);
int snprintf(char* restrict to, size_t size, const char* restrict format, ...) TXVM_PRINTF(3, 4);
int vprintf(const char* restrict format, va_list arguments) TXVM_PRINTF(1, 0);
int vfprintf(FILE* restrict file, const char* restrict format, va_list arguments) TXVM_PRINTF(2, 0);
int vsprintf(char* restrict to, const char* restrict format, va_list arguments) TXVM_PRINTF(2, 0);
int vsnprintf(char* restrict to, size_t size, const char* restrict format, va_list arguments)
    TXVM_PRINTF(3, 0);
#define TXVM_SCANF(text, first) __attribute__((format(scanf, text, first)))
int scanf(const char* restrict format, ...) TXVM_SCANF(1, 2);
int fscanf(FILE* restrict file, const char* restrict format, ...) TXVM_SCANF(2, 3);
int sscanf(const char* restrict from, const char* restrict format, ...) TXVM_SCANF(2, 3);
int vscanf(const char* restrict format, va_list arguments) TXVM_SCANF(1, 0);
int vfscanf(FILE* restrict file, const char* restrict format, va_list arguments) TXVM_SCANF(2, 0);
int vsscanf(const char* restrict from, const char* restrict format, va_list arguments)
    TXVM_SCANF(2, 0);
int putchar(int c);
int putc(int c, FILE* file);
int fputc(int c, FILE* file);
int puts(const char* text);
int fputs(const char* restrict text, FILE* restrict file);
size_t fwrite(const void* restrict bytes, size_t size, size_t count, FILE* restrict file);
int getchar(void);
int getc(FILE* file);
int fgetc(FILE* file);
int ungetc(int c, FILE* file);
char* fgets(char* restrict line, int size, FILE* restrict file);
/* A line of any length, with its end: *line comes from malloc, or is NULL at first. */
ssize_t getline(char** restrict line, size_t* restrict size, FILE* restrict file);
ssize_t getdelim(char** restrict line, size_t* restrict size, int end, FILE* restrict file);
size_t fread(void* restrict bytes, size_t size, size_t count, FILE* restrict file);
int fflush(FILE* file);
int feof(FILE* file);
int ferror(FILE* file);
void clearerr(FILE* file);
/* Only _IONBF has an effect: output waits for the end of a line otherwise. No buffer is used. */
int setvbuf(FILE* restrict file, char* restrict buffer, int mode, size_t size);
void setbuf(FILE* restrict file, char* restrict buffer);
void perror(const char* text);
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define FILENAME_MAX 4096
#define FOPEN_MAX 256
#define L_tmpnam 32
#define TMP_MAX 10000
typedef long long fpos_t;
FILE* fopen(const char* restrict path, const char* restrict mode);
FILE* freopen(const char* restrict path, const char* restrict mode, FILE* restrict file);
int fclose(FILE* file);
int fseek(FILE* file, long offset, int whence);
long ftell(FILE* file);
void rewind(FILE* file);
int fgetpos(FILE* restrict file, fpos_t* restrict to);
int fsetpos(FILE* file, const fpos_t* from);
int fileno(FILE* file);
int remove(const char* path);
int rename(const char* from, const char* to);
FILE* tmpfile(void);
char* tmpnam(char* to);
