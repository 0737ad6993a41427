/* Files: fopen and its relatives, and POSIX's calls on files by number. */
#include "library.h"

#include "host.h"
#include "stream.h"

enum {
  kFirstFolder = 3, /* the numbers of the folders of --dir begin here */
  kNameSize = 256,
  kRights = 1 << 2 | 1 << 5 | 1 << 21, /* seek, tell, facts */
  kReadRights = kRights | 1 << 1 | 1 << 14,
  kWriteRights = kRights | 1 << 0 | 1 << 6 | 1 << 22,
  kFollow = 1,
  kFolderType = 3, kFileType = 4
};

/* Sets errno from the host's error number, and returns -1; 0 for success. */
static int failed(int number) {
  static const struct {
    unsigned char host, own;
  } numbers[] = {{1, E2BIG},      {2, EACCES},  {6, EAGAIN},  {8, EBADF},   {10, EBUSY},
                 {20, EEXIST},    {21, EFAULT}, {22, EFBIG},  {27, EINTR},  {28, EINVAL},
                 {29, EIO},       {31, EISDIR}, {33, EMFILE}, {34, EMLINK}, {37, ENAMETOOLONG},
                 {43, ENODEV},    {44, ENOENT}, {48, ENOMEM}, {51, ENOSPC}, {52, ENOSYS},
                 {54, ENOTDIR},   {55, ENOTEMPTY}, {58, ENOTSUP}, {59, ENOTTY}, {63, EPERM},
                 {64, EPIPE},     {69, EROFS},  {70, ESPIPE}, {75, EACCES}, {76, EACCES}};
  if (number == 0) return 0;
  errno = EIO;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    if (numbers[i].host == number) errno = numbers[i].own;
  }
  return -1;
}

static const char* without_dot(const char* path) {
  while (path[0] == '.' && (path[1] == '/' || path[1] == '\0')) {
    ++path;
    while (*path == '/') ++path;
  }
  return path;
}

/* The folder of --dir with the longest name that `*path` begins with; `*path` becomes what follows.
   -1, with errno, where there is none. */
static int find_folder(const char** path) {
  static int was_told;
  struct {
    uint32_t type, size;
  } stat;
  char name[kNameSize];
  const char* const whole = without_dot(*path);
  int best = -1, fd = kFirstFolder;
  size_t best_size = 0;
  for (; host_prestat(fd, &stat) == 0; ++fd) {
    if (stat.size >= kNameSize || host_folder_name(fd, name, stat.size) != 0) continue;
    name[stat.size] = '\0';
    const char* const own = without_dot(name);
    size_t size = strlen(own);
    while (size > 1 && own[size - 1] == '/') --size;
    const int is_prefix = strncmp(own, whole, size) == 0 &&
                          (size == 0 ? whole[0] != '/'
                                     : own[size - 1] == '/' || whole[size] == '/' || whole[size] == '\0');
    if (!is_prefix || (best >= 0 && size < best_size)) continue;
    best = fd;
    best_size = size;
  }
  if (best < 0) {
    errno = ENOENT;
    if (fd == kFirstFolder && !was_told) {
      fprintf(stderr, "txvm: '%s' is not found: the program has no folder, --dir gives it one\n",
              *path);
    }
    was_told = 1;
    return -1;
  }
  const char* rest = whole + best_size;
  while (*rest == '/') ++rest;
  *path = *rest == '\0' ? "." : rest;
  return best;
}

int open(const char* path, int flags, ...) {
  const int folder = find_folder(&path);
  if (folder < 0) return -1;
  const int access = flags & 3;
  const int how = (flags & O_CREAT ? 1 : 0) | (flags & O_EXCL ? 4 : 0) | (flags & O_TRUNC ? 8 : 0);
  uint64_t rights = 0;
  if (access != O_WRONLY) rights |= kReadRights;
  if (access != O_RDONLY) rights |= kWriteRights;
  int fd = -1;
  const int number = host_open(folder, kFollow, path, strlen(path), how, rights, rights,
                               flags & O_APPEND ? 1 : 0, &fd);
  return failed(number) != 0 ? -1 : fd;
}

int creat(const char* path, int mode) {
  (void)mode;
  return open(path, O_CREAT | O_WRONLY | O_TRUNC);
}

int close(int fd) { return failed(host_close(fd)); }

ssize_t read(int fd, void* bytes, size_t count) {
  const struct host_bytes part = {bytes, count};
  size_t done = 0;
  return failed(host_read(fd, &part, 1, &done)) != 0 ? -1 : (ssize_t)done;
}

ssize_t write(int fd, const void* bytes, size_t count) {
  const struct host_bytes part = {(void*)bytes, count};
  size_t done = 0;
  return failed(host_write(fd, &part, 1, &done)) != 0 ? -1 : (ssize_t)done;
}

off_t lseek(int fd, off_t offset, int whence) {
  uint64_t place = 0;
  return failed(host_seek(fd, offset, whence, &place)) != 0 ? -1 : (off_t)place;
}

int isatty(int fd) {
  unsigned char stat[24];
  if (failed(host_fdstat(fd, stat)) != 0) return 0;
  if (stat[0] == 2) return 1;
  errno = ENOTTY;
  return 0;
}

/* The facts of a file as the host gives them. */
struct host_facts {
  uint64_t device, inode;
  uint8_t type;
  uint64_t links, size, accessed, modified, changed;
};

static int fill_stat(int number, const struct host_facts* facts, struct stat* to) {
  enum { kNanoseconds = 1000000000 };
  if (failed(number) != 0) return -1;
  *to = (struct stat){.st_dev = facts->device, .st_ino = facts->inode, .st_nlink = facts->links,
                      .st_size = (off_t)facts->size,
                      .st_atime = (time_t)(facts->accessed / kNanoseconds),
                      .st_mtime = (time_t)(facts->modified / kNanoseconds),
                      .st_ctime = (time_t)(facts->changed / kNanoseconds)};
  to->st_mode = facts->type == kFolderType ? S_IFDIR | 0755
                : facts->type == kFileType ? S_IFREG | 0644
                                           : S_IFCHR | 0600;
  return 0;
}

int stat(const char* path, struct stat* to) {
  struct host_facts facts;
  const int folder = find_folder(&path);
  if (folder < 0) return -1;
  return fill_stat(host_path_facts(folder, kFollow, path, strlen(path), &facts), &facts, to);
}

int fstat(int fd, struct stat* to) {
  struct host_facts facts;
  return fill_stat(host_file_facts(fd, &facts), &facts, to);
}

int access(const char* path, int mode) {
  struct host_facts facts;
  (void)mode;
  const int folder = find_folder(&path);
  return folder < 0 ? -1
                    : failed(host_path_facts(folder, kFollow, path, strlen(path), &facts));
}

int mkdir(const char* path, mode_t mode) {
  (void)mode;
  const int folder = find_folder(&path);
  return folder < 0 ? -1 : failed(host_create_folder(folder, path, strlen(path)));
}

int unlink(const char* path) {
  const int folder = find_folder(&path);
  return folder < 0 ? -1 : failed(host_unlink(folder, path, strlen(path)));
}

int rmdir(const char* path) {
  const int folder = find_folder(&path);
  return folder < 0 ? -1 : failed(host_remove_folder(folder, path, strlen(path)));
}

int remove(const char* path) {
  struct host_facts facts;
  const int folder = find_folder(&path);
  if (folder < 0) return -1;
  const size_t size = strlen(path);
  if (failed(host_path_facts(folder, 0, path, size, &facts)) != 0) return -1;
  return failed(facts.type == kFolderType ? host_remove_folder(folder, path, size)
                                          : host_unlink(folder, path, size));
}

int rename(const char* from, const char* to) {
  const int folder = find_folder(&from);
  const int to_folder = folder < 0 ? -1 : find_folder(&to);
  if (to_folder < 0) return -1;
  return failed(host_rename(folder, from, strlen(from), to_folder, to, strlen(to)));
}

static FILE* start_stream(FILE* file, int fd, int flags) {
  *file = (FILE){.fd = fd,
                 .can_read = (flags & 3) != O_WRONLY,
                 .can_write = (flags & 3) != O_RDONLY,
                 .pushed_back = EOF};
  file->next = __txvm_open_files;
  __txvm_open_files = file;
  return file;
}

/* open's flags of fopen's mode; -1, with errno, for others. */
static int flags_of(const char* mode) {
  int flags;
  switch (*mode) {
    case 'r': flags = 0; break;
    case 'w': flags = O_CREAT | O_TRUNC; break;
    case 'a': flags = O_CREAT | O_APPEND; break;
    default: errno = EINVAL; return -1;
  }
  if (strchr(mode, 'x') != NULL) flags |= O_EXCL;
  return flags | (strchr(mode, '+') != NULL ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY);
}

FILE* fopen(const char* restrict path, const char* restrict mode) {
  const int flags = flags_of(mode);
  const int fd = flags < 0 ? -1 : open(path, flags);
  if (fd < 0) return NULL;
  FILE* file = malloc(sizeof *file);
  if (file == NULL) {
    close(fd);
    return NULL;
  }
  return start_stream(file, fd, flags);
}

/* Takes it from the list; returns whether it was there. */
static int forget(FILE* file) {
  for (FILE** at = &__txvm_open_files; *at != NULL; at = &(*at)->next) {
    if (*at != file) continue;
    *at = file->next;
    return 1;
  }
  return 0;
}

int fclose(FILE* file) {
  int result = fflush(file);
  result |= failed(host_close(file->fd));
  if (forget(file)) free(file);
  return result != 0 ? EOF : 0;
}

/* The stream may be a standard one, which stays out of free's reach: its buffer is no block. */
FILE* freopen(const char* restrict path, const char* restrict mode, FILE* restrict file) {
  const int flags = flags_of(mode);
  fflush(file);
  if (file->fd >= kFirstFolder) host_close(file->fd);
  forget(file);
  const int fd = flags < 0 || path == NULL ? -1 : open(path, flags);
  return fd < 0 ? NULL : start_stream(file, fd, flags);
}

void __txvm_unread(FILE* file) {
  const off_t ahead = (off_t)(file->used - file->first) + (file->pushed_back != EOF);
  if (ahead != 0) lseek(file->fd, -ahead, SEEK_CUR);
  file->is_reading = 0;
  file->pushed_back = EOF;
  file->used = file->first = 0;
}

static off_t seek(FILE* file, off_t offset, int whence) {
  if (file->is_reading) {
    __txvm_unread(file);
  } else if (fflush(file) != 0) {
    return -1;
  }
  const off_t place = lseek(file->fd, offset, whence);
  if (place >= 0) {
    file->is_at_end = 0;
    file->pushed_back = EOF;
  }
  return place;
}

int fseek(FILE* file, long offset, int whence) { return seek(file, offset, whence) < 0 ? -1 : 0; }

void rewind(FILE* file) {
  seek(file, 0, SEEK_SET);
  clearerr(file);
}

static off_t place_of(FILE* file) {
  const off_t place = lseek(file->fd, 0, SEEK_CUR);
  if (place < 0) return -1;
  if (!file->is_reading) return place + (off_t)file->used;
  return place - (off_t)(file->used - file->first) - (file->pushed_back != EOF);
}

long ftell(FILE* file) { return (long)place_of(file); }

int fgetpos(FILE* restrict file, fpos_t* restrict to) {
  *to = place_of(file);
  return *to < 0 ? -1 : 0;
}

int fsetpos(FILE* file, const fpos_t* from) { return seek(file, *from, SEEK_SET) < 0 ? -1 : 0; }

int fileno(FILE* file) { return file->fd; }

/* Names in the folder of the program, which must be one that can be written to. */
char* tmpnam(char* to) {
  static char own[L_tmpnam];
  static int number;
  char* const name = to == NULL ? own : to;
  do snprintf(name, L_tmpnam, "txvm-tmp-%d", ++number); while (access(name, F_OK) == 0);
  return name;
}

FILE* tmpfile(void) {
  char name[L_tmpnam];
  FILE* file = fopen(tmpnam(name), "w+x");
  if (file != NULL) unlink(name);
  return file;
}
