/* Standard input and output. Output waits for the end of a line, in a program with main. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

struct __txvm_file {
  int fd;
  int is_at_end, has_failed;
  int is_unbuffered; /* every fwrite is written at once */
  int pushed_back;   /* a character of ungetc, or EOF */
  size_t used;       /* bytes in the buffer; input: those not yet read begin at `first` */
  size_t first;
  unsigned char buffer[BUFSIZ];
};

static struct __txvm_file input = {.fd = 0, .pushed_back = EOF};
/* Where there is no main, nothing runs at the end that could write the rest: _start allows it. */
static struct __txvm_file output = {.fd = 1, .pushed_back = EOF, .is_unbuffered = 1};
static struct __txvm_file errors = {.fd = 2, .pushed_back = EOF, .is_unbuffered = 1};

#undef stdin
#undef stdout
#undef stderr
FILE* const stdin = &input;
FILE* const stdout = &output;
FILE* const stderr = &errors;

static int write_all(FILE* file, const void* bytes, size_t count) {
  const unsigned char* at = bytes;
  while (count > 0) {
    const struct host_bytes part = {(void*)at, count};
    size_t done = 0;
    if (host_write(file->fd, &part, 1, &done) != 0 || done == 0 || done > count) {
      file->has_failed = 1;
      errno = EIO;
      return EOF;
    }
    at += done;
    count -= done;
  }
  return 0;
}

int fflush(FILE* file) {
  if (file == NULL) file = &output;
  if (file->fd == 0 || file->used == 0) return 0;
  const size_t count = file->used;
  file->used = 0;
  return write_all(file, file->buffer, count);
}

size_t fwrite(const void* restrict bytes, size_t size, size_t count, FILE* restrict file) {
  const unsigned char* at = bytes;
  const size_t total = size * count;
  if (file->fd == 0 || total == 0) return 0;
  int has_line = file->is_unbuffered;
  for (size_t i = 0; i < total; ++i) {
    if (file->used == BUFSIZ && fflush(file) != 0) return i / size;
    file->buffer[file->used++] = at[i];
    has_line |= at[i] == '\n';
  }
  return has_line && fflush(file) != 0 ? 0 : count;
}

int fputc(int c, FILE* file) {
  const unsigned char byte = (unsigned char)c;
  return fwrite(&byte, 1, 1, file) == 1 ? byte : EOF;
}

int putc(int c, FILE* file) { return fputc(c, file); }
int putchar(int c) { return fputc(c, &output); }

int fputs(const char* restrict text, FILE* restrict file) {
  const size_t count = strlen(text);
  return fwrite(text, 1, count, file) == count ? 0 : EOF;
}

int puts(const char* text) {
  return fputs(text, &output) == EOF || fputc('\n', &output) == EOF ? EOF : 0;
}

int fgetc(FILE* file) {
  if (file->pushed_back != EOF) {
    const int c = file->pushed_back;
    file->pushed_back = EOF;
    return c;
  }
  if (file->first == file->used) {
    fflush(&output);
    const struct host_bytes part = {file->buffer, BUFSIZ};
    size_t done = 0;
    const int failed = file->fd != 0 || host_read(file->fd, &part, 1, &done) != 0;
    file->has_failed |= failed;
    file->is_at_end |= !failed && done == 0;
    if (failed || done == 0) return EOF;
    file->first = 0;
    file->used = done;
  }
  return file->buffer[file->first++];
}

int getc(FILE* file) { return fgetc(file); }
int getchar(void) { return fgetc(&input); }

int ungetc(int c, FILE* file) {
  if (c == EOF || file->pushed_back != EOF) return EOF;
  file->is_at_end = 0;
  return file->pushed_back = (unsigned char)c;
}

char* fgets(char* restrict line, int size, FILE* restrict file) {
  int count = 0;
  while (count + 1 < size) {
    const int c = fgetc(file);
    if (c == EOF) break;
    line[count++] = (char)c;
    if (c == '\n') break;
  }
  if (count == 0 && size != 1) return NULL; /* with room for no character, it reads none */
  line[count] = '\0';
  return line;
}

ssize_t getdelim(char** restrict line, size_t* restrict size, int end, FILE* restrict file) {
  enum { kFirstSize = 120 };
  if (line == NULL || size == NULL) {
    errno = EINVAL;
    return -1;
  }
  if (*line == NULL) *size = 0;
  size_t count = 0;
  for (int c; (c = fgetc(file)) != EOF;) {
    if (count + 2 > *size) { /* no room for it and for the end of the text */
      const size_t more = *size == 0 ? kFirstSize : 2 * *size;
      char* longer = realloc(*line, more);
      if (longer == NULL) return -1;
      *line = longer;
      *size = more;
    }
    (*line)[count++] = (char)c;
    if (c == end) break;
  }
  if (count == 0) return -1;
  (*line)[count] = '\0';
  return (ssize_t)count;
}

ssize_t getline(char** restrict line, size_t* restrict size, FILE* restrict file) {
  return getdelim(line, size, '\n', file);
}

size_t fread(void* restrict bytes, size_t size, size_t count, FILE* restrict file) {
  unsigned char* to = bytes;
  const size_t total = size * count;
  for (size_t i = 0; i < total; ++i) {
    const int c = fgetc(file);
    if (c == EOF) return i / size;
    to[i] = (unsigned char)c;
  }
  return total == 0 ? 0 : count;
}

int feof(FILE* file) { return file->is_at_end; }
int ferror(FILE* file) { return file->has_failed; }

void clearerr(FILE* file) { file->is_at_end = file->has_failed = 0; }

int setvbuf(FILE* restrict file, char* restrict buffer, int mode, size_t size) {
  (void)buffer, (void)size;
  if (mode < _IOFBF || mode > _IONBF) return EOF;
  if (mode != _IONBF) return 0;
  file->is_unbuffered = 1;
  return fflush(file);
}

void setbuf(FILE* restrict file, char* restrict buffer) {
  setvbuf(file, buffer, buffer == NULL ? _IONBF : _IOFBF, BUFSIZ);
}
