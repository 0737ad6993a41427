#include "missing.h"

int chmod(const char* path, unsigned mode) { return (void)path, (void)mode, 0; }
int fchmod(int file, unsigned mode) { return (void)file, (void)mode, 0; }
int chown(const char* path, unsigned user, unsigned group) { return (void)path, (void)user, (void)group, 0; }
int fchown(int file, unsigned user, unsigned group) { return (void)file, (void)user, (void)group, 0; }
unsigned umask(unsigned mode) { return (void)mode, 0; }
unsigned geteuid(void) { return 0; }
unsigned getuid(void) { return 0; }
int system(const char* command) { return (void)command, -1; }
