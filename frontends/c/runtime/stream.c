/* Streams. Standard output waits for the end of a line, in a program with main; file.c opens
   others. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "stream.h"

static struct __txvm_file input = {.fd = 0, .can_read = 1, .pushed_back = EOF};
/* Where there is no main, nothing runs at the end that could write the rest: _start allows it. */
static struct __txvm_file output = {
    .fd = 1, .can_write = 1, .is_unbuffered = 1, .is_by_line = 1, .pushed_back = EOF};
static struct __txvm_file errors = {
    .fd = 2, .can_write = 1, .is_unbuffered = 1, .pushed_back = EOF};
struct __txvm_file* __txvm_open_files;

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
  if (file == NULL) {
    int failed = fflush(&output);
    for (FILE* open = __txvm_open_files; open != NULL; open = open->next) failed |= fflush(open);
    return failed;
  }
  if (file->is_reading || file->used == 0) return 0;
  const size_t count = file->used;
  file->used = 0;
  return write_all(file, file->buffer, count);
}

/* Makes the buffer one of output. */
static int begin_writing(FILE* file) {
  if (!file->can_write) {
    file->has_failed = 1;
    errno = EBADF;
    return 0;
  }
  if (file->is_reading && __txvm_unread != NULL) __txvm_unread(file);
  return 1;
}

size_t fwrite(const void* restrict bytes, size_t size, size_t count, FILE* restrict file) {
  const unsigned char* at = bytes;
  const size_t total = size * count;
  if (total == 0 || !begin_writing(file)) return 0;
  int has_line = file->is_unbuffered;
  for (size_t i = 0; i < total; ++i) {
    if (file->used == BUFSIZ && fflush(file) != 0) return i / size;
    file->buffer[file->used++] = at[i];
    has_line |= file->is_by_line && at[i] == '\n';
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

/* Reads more input; 0 at its end, or where it fails. */
static int fill_buffer(FILE* file) {
  if (!file->can_read) {
    file->has_failed = 1;
    errno = EBADF;
    return 0;
  }
  fflush(file->fd == 0 ? &output : file);
  file->is_reading = 1;
  file->first = file->used = 0;
  const struct host_bytes part = {file->buffer, BUFSIZ};
  size_t done = 0;
  const int failed = host_read(file->fd, &part, 1, &done) != 0;
  if (failed) errno = EIO;
  file->has_failed |= failed;
  file->is_at_end |= !failed && done == 0;
  file->used = failed ? 0 : done;
  return file->used != 0;
}

int fgetc(FILE* file) {
  if (file->pushed_back != EOF) {
    const int c = file->pushed_back;
    file->pushed_back = EOF;
    return c;
  }
  if ((!file->is_reading || file->first == file->used) && !fill_buffer(file)) return EOF;
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
