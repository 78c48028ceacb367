/* What the machine does to a program, at the will of the soak test: preloaded, it moves the clock, fills the disk, and
 * counts syncs and connections. All processes share one page, named by SOAK_PAGE; layout in machine.py. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct page {
    int64_t ahead_ns;      /* how far the clock of the wall is ahead */
    int64_t disk_full;     /* whether files can not be written */
    int64_t refused;       /* writes that failed for that */
    int64_t syncs;
    int64_t connections;   /* to the network NET/MASK */
    int64_t strays;        /* to anywhere else */
    int64_t stray_address; /* the last of these, as IPv4 */
    int64_t net, mask;
};

static struct page nowhere;
static struct page *page = &nowhere;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("SOAK_PAGE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *found = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (found != MAP_FAILED) page = found;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define COUNT(what) __atomic_fetch_add(&page->what, 1, __ATOMIC_RELAXED)

int clock_gettime(clockid_t clock, struct timespec *at) {
    REAL(clock_gettime);
    int result = real(clock, at);
    if (!result && clock == CLOCK_REALTIME) at->tv_sec += page->ahead_ns / 1000000000;
    return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    REAL(gettimeofday);
    int result = real(at, zone);
    if (!result) at->tv_sec += page->ahead_ns / 1000000000;
    return result;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}

static int is_full(int file) {
    struct stat facts;
    if (!page->disk_full || fstat(file, &facts) || !S_ISREG(facts.st_mode)) return 0;
    COUNT(refused);
    errno = ENOSPC;
    return 1;
}

ssize_t write(int file, const void *data, size_t size) {
    REAL(write);
    return is_full(file) ? -1 : real(file, data, size);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    REAL(pwrite);
    return is_full(file) ? -1 : real(file, data, size, at);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    REAL(pwrite64);
    return is_full(file) ? -1 : real(file, data, size, at);
}

int fsync(int file) {
    REAL(fsync);
    COUNT(syncs);
    return real(file);
}

int fdatasync(int file) {
    REAL(fdatasync);
    COUNT(syncs);
    return real(file);
}

static void note(const struct sockaddr *to) {
    if (!to || to->sa_family == AF_UNIX || to->sa_family == AF_UNSPEC) return;
    int64_t address = to->sa_family == AF_INET ? ntohl(((const struct sockaddr_in *)to)->sin_addr.s_addr) : -1;
    if (address >= 0 && (address & page->mask) == page->net) {
        COUNT(connections);
        return;
    }
    page->stray_address = address;
    COUNT(strays);
}

int connect(int sock, const struct sockaddr *to, socklen_t size) {
    REAL(connect);
    note(to);
    return real(sock, to, size);
}

ssize_t sendto(int sock, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length) {
    REAL(sendto);
    note(to);
    return real(sock, data, size, flags, to, length);
}
