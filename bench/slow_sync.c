/* Makes each sync of a program take 4 ms longer, for `versus`: cc -shared -fPIC -o slow.so bench/slow_sync.c */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int later(const char *name, int fd) {
  struct timespec pause = {0, 4000000};
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  nanosleep(&pause, 0);
  return real(fd);
}

int fsync(int fd) { return later("fsync", fd); }
int fdatasync(int fd) { return later("fdatasync", fd); }
