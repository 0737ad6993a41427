/* The texts of error numbers. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int error_number;
int* __errno_location(void) { return &error_number; }

static const struct error_text {
  int number;
  const char* text;
} error_texts[] = {
    {0, "Success"},
    {EPERM, "Operation not permitted"},
    {ENOENT, "No such file or directory"},
    {EINTR, "Interrupted system call"},
    {EIO, "Input/output error"},
    {E2BIG, "Argument list too long"},
    {EBADF, "Bad file descriptor"},
    {EAGAIN, "Resource temporarily unavailable"},
    {ENOMEM, "Cannot allocate memory"},
    {EACCES, "Permission denied"},
    {EFAULT, "Bad address"},
    {EBUSY, "Device or resource busy"},
    {EEXIST, "File exists"},
    {ENODEV, "No such device"},
    {ENOTDIR, "Not a directory"},
    {EISDIR, "Is a directory"},
    {EINVAL, "Invalid argument"},
    {ENFILE, "Too many open files in system"},
    {EMFILE, "Too many open files"},
    {ENOTTY, "Inappropriate ioctl for device"},
    {EFBIG, "File too large"},
    {ENOSPC, "No space left on device"},
    {ESPIPE, "Illegal seek"},
    {EROFS, "Read-only file system"},
    {EMLINK, "Too many links"},
    {EPIPE, "Broken pipe"},
    {EDOM, "Numerical argument out of domain"},
    {ERANGE, "Numerical result out of range"},
    {EDEADLK, "Resource deadlock avoided"},
    {ENAMETOOLONG, "File name too long"},
    {ENOSYS, "Function not implemented"},
    {ENOTEMPTY, "Directory not empty"},
    {EOVERFLOW, "Value too large for defined data type"},
    {EILSEQ, "Invalid or incomplete multibyte or wide character"},
    {ENOTSUP, "Operation not supported"},
    {ETIMEDOUT, "Connection timed out"},
};

char* strerror(int number) {
  static char unknown[32];
  for (size_t i = 0; i < sizeof error_texts / sizeof error_texts[0]; ++i) {
    if (error_texts[i].number == number) return (char*)error_texts[i].text;
  }
  snprintf(unknown, sizeof unknown, "Unknown error %d", number);
  return unknown;
}

void perror(const char* text) {
  const char* reason = strerror(errno);
  if (text == NULL || *text == '\0') {
    fprintf(stderr, "%s\n", reason);
  } else {
    fprintf(stderr, "%s: %s\n", text, reason);
  }
}
