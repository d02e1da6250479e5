// The group of this process, and the module that speaks MPI for it.
#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "fgnn/cluster/group.h"
#include "fgnn/cluster/launch.h"
#include "fgnn/cluster/mpi_table.h"
#include "fgnn/core/error.h"

namespace fgnn::cluster {
namespace {

namespace fs = std::filesystem;
constexpr const char* kModule = "libfgnn_mpi.so";

// Where the module may be, best first.
std::vector<fs::path> candidates() {
  if (const char* given = std::getenv("FGNN_MPI_MODULE")) return {given};
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure).parent_path();
  // Beside the program in the build, in its library folder where it is installed.
  return {program / kModule, program.parent_path() / FGNN_MODULE_FOLDER / kModule, kModule};
}

const MpiTable& load() {
  std::string reason;
  for (const fs::path& file : candidates()) {
    // Global, because MPI's own plugins look for MPI's symbols.
    void* module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module == nullptr) {
      // A module that is there and does not load says more than one that is not there.
      std::error_code ignored;
      const char* why = ::dlerror();
      if (fs::exists(file, ignored) || reason.empty()) reason = why;
      continue;
    }
    const auto entry = reinterpret_cast<MpiEntry>(::dlsym(module, kMpiEntry));
    if (entry == nullptr || entry()->version != kMpiVersion) {
      throw Error(ErrorCode::unsupported, file.string(), "is not the module of this program",
                  "build and install both together");
    }
    return *entry();
  }
  throw Error(ErrorCode::unsupported, kModule,
              fmt::format("several processes were started, but the module for MPI cannot be loaded "
                          "({})",
                          reason),
              "install openmpi-bin and libopenmpi-dev and build again, or name the module by "
              "FGNN_MPI_MODULE");
}

class MpiGroup final : public Group {
 public:
  explicit MpiGroup(const MpiTable& mpi) : mpi_(mpi) {
    check(mpi_.start());
    rank_ = mpi_.rank();
    size_ = mpi_.size();
  }
  ~MpiGroup() override { mpi_.finish(); }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  void sum(std::span<double> v) override { check(mpi_.sum_doubles(v.data(), v.size())); }
  void sum(std::span<std::uint64_t> v) override { check(mpi_.sum_counts(v.data(), v.size())); }
  void start_sum(std::span<float> v) override { check(mpi_.start_sum(v.data(), v.size())); }
  void progress() override { check(mpi_.progress()); }
  void finish_sums() override { check(mpi_.finish_sums()); }
  using Group::broadcast;
  void broadcast(std::span<std::byte> v) override { check(mpi_.broadcast(v.data(), v.size())); }
  void barrier() override { check(mpi_.barrier()); }

  void end_all(int exit_code) { mpi_.end_all(exit_code); }

 private:
  std::string concatenate(std::string mine, std::vector<std::uint64_t>& sizes) override {
    sizes.assign(size_, 0);
    sizes[rank_] = mine.size();
    sum(std::span(sizes));
    std::string all;
    if (first()) all.resize(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}));
    check(mpi_.gather(mine.data(), all.data(), sizes.data()));
    return all;
  }

  void check(int error) const {
    if (error == 0) return;
    char words[512];
    mpi_.explain(error, words, sizeof words);
    throw Error(ErrorCode::io, fmt::format("rank {}", launch().rank),
                fmt::format("lost the other processes: {}", words),
                "files that were written are whole; start all again");
  }

  const MpiTable& mpi_;
  std::size_t rank_ = 0, size_ = 1;
};

std::atomic<MpiGroup*> connected = nullptr;

}  // namespace

Group& world() {
  if (!launch().several) return alone();
  static MpiGroup group(load());
  connected = &group;
  return group;
}

void end_world(int exit_code) {
  if (MpiGroup* group = connected) group->end_all(exit_code);
}

}  // namespace fgnn::cluster
