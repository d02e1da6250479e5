#include "fgnn/io/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace fgnn {
namespace {

constexpr std::size_t kMost = 32, kLongest = 4096;

// Fixed places instead of a container: a signal handler may neither lock nor allocate.
struct Place {
  enum State { free, changing, taken };
  std::atomic<int> state{free};
  pid_t owner;
  char path[kLongest];
};
Place places[kMost];

// The files in a folder, by system calls alone, since opendir allocates.
void remove_contents(const char* path) {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (folder < 0) return;
  alignas(dirent64) char buffer[4096];
  for (long size; (size = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      ::unlinkat(folder, entry->d_name, 0);  // fails on "." and "..", as it should
      at += entry->d_reclen;
    }
  }
  ::close(folder);
}

void on_signal(int signal) {
  const int error = errno;
  for (const Place& place : places) {
    if (place.state.load(std::memory_order_acquire) != Place::taken) continue;
    if (place.owner != ::getpid()) continue;  // of the process that this one was forked from
    if (::unlink(place.path) == 0) continue;
    remove_contents(place.path);
    ::rmdir(place.path);
  }
  errno = error;
  ::raise(signal);  // by default from now on (SA_RESETHAND): whoever waits sees what ended us
}

}  // namespace

Temporary::Temporary(const std::filesystem::path& path) : place_(kMost) {
  // Absolute, should the program change its folder.
  std::error_code failure;
  const std::string name = std::filesystem::absolute(path, failure).string();
  if (failure || name.size() >= kLongest) return;
  for (std::size_t i = 0; i < kMost; ++i) {
    int expected = Place::free;
    if (!places[i].state.compare_exchange_strong(expected, Place::changing)) continue;
    std::memcpy(places[i].path, name.c_str(), name.size() + 1);
    places[i].owner = ::getpid();
    places[i].state.store(Place::taken, std::memory_order_release);
    place_ = i;
    return;
  }
}

Temporary::~Temporary() {
  if (place_ < kMost) places[place_].state.store(Place::free, std::memory_order_release);
}

void clean_up_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = on_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace fgnn
