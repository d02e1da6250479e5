// The processes of one run, started together by mpirun, srun or their like; a single process is a
// group of one, where nothing is sent and every call returns at once.
//
// All ranks make the same calls in the same order. Calls may come from any thread, but one at a
// time. A rank that loses the others throws Error(io).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fgnn::cluster {

class Group {
 public:
  virtual ~Group() = default;

  virtual std::size_t rank() const { return 0; }
  virtual std::size_t size() const { return 1; }
  // The one that prints, draws and writes files.
  bool first() const { return rank() == 0; }

  // In place, over all ranks. Every rank gets the same bits, and so does another run on as many
  // ranks. Where all but one add zero, the sum is exact.
  virtual void sum(std::span<double>) {}
  virtual void sum(std::span<std::uint64_t>) {}
  // Whether it is so on any rank.
  bool any(bool mine);

  // The same in the background: the numbers must stay untouched until `finish_sums`, which waits
  // for all that were started. The network moves while somebody is inside a call, so that long work
  // in between should call `progress` now and then.
  virtual void start_sum(std::span<float>) {}
  virtual void progress() {}
  virtual void finish_sums() {}

  // What rank 0 has, to all.
  virtual void broadcast(std::span<std::byte>) {}
  template <class T>
  void broadcast(std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast(std::as_writable_bytes(values));
  }
  void broadcast(std::string& text);  // takes the length of rank 0's

  // What each rank has, by rank: on rank 0 (the others get an empty list), or on all.
  std::vector<std::string> gather(std::string mine);
  std::vector<std::string> gather_all(std::string mine);
  // The elements of all ranks, those of rank 0 first, on all.
  template <class T>
  std::vector<T> join(const std::vector<T>& mine);

  virtual void barrier() {}

  // Throws Error(usage) on all ranks when their texts differ, naming a rank and the first line that
  // is not rank 0's. `what` says what the text is, such as "options".
  void check_same(std::string_view what, const std::string& text);

 protected:
  // What the ranks have, one after another, on rank 0; how much each has, on all.
  virtual std::string concatenate(std::string mine, std::vector<std::uint64_t>& sizes);

 private:
  std::string concatenate_on_all(std::string mine, std::vector<std::uint64_t>& sizes);
};

// The part of 0 .. count that falls to a rank: contiguous, by turns no more than one longer.
struct Share {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t size() const { return end - begin; }
};
Share share(std::uint64_t count, const Group& group);

// A group of one.
Group& alone();

// The group of this process: of one, unless a launcher started several (launch.h). The first call
// connects; it throws Error(unsupported) where the module for MPI is missing.
Group& world();

// For a program that ends with an error: ends the whole world, if this process is connected to it,
// with this exit code.
void end_world(int exit_code);

template <class T>
std::vector<T> Group::join(const std::vector<T>& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (size() == 1) return mine;
  std::vector<std::uint64_t> sizes;
  const std::string bytes = concatenate_on_all(
      std::string(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(T)), sizes);
  std::vector<T> all(bytes.size() / sizeof(T));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

}  // namespace fgnn::cluster
