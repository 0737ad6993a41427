/* What programs call and wasi-libc has not: owners and modes of files, locks, and processes. */
#pragma once
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#define F_GETLK 5
#define F_SETLK 6
int chmod(const char* path, unsigned mode);
int fchmod(int file, unsigned mode);
int chown(const char* path, unsigned user, unsigned group);
int fchown(int file, unsigned user, unsigned group);
unsigned umask(unsigned mode);
unsigned geteuid(void);
unsigned getuid(void);
int system(const char* command);
