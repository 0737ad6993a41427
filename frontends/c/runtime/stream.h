/* What a stream is. Its buffer holds output that is not yet written, or input that is not yet
   read. */
#pragma once
#include <stddef.h>
#include <stdio.h>

struct __txvm_file {
  int fd;
  int can_read, can_write;
  int is_at_end, has_failed;
  int is_unbuffered; /* every fwrite is written at once */
  int is_by_line;    /* a line's end writes the buffer */
  int is_reading;    /* the buffer is of input */
  int pushed_back;   /* a character of ungetc, or EOF */
  size_t used;       /* bytes in the buffer; input: those not yet read begin at `first` */
  size_t first;
  struct __txvm_file* next; /* in the list of the files that are open */
  unsigned char buffer[BUFSIZ];
};

/* The files that fopen opened. */
extern struct __txvm_file* __txvm_open_files;

/* Forgets input that was read too far: the file's position becomes the stream's. In a part of its
   own, which only programs with files get: for others it is NULL. */
__attribute__((weak)) void __txvm_unread(struct __txvm_file* file);
