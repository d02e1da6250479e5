// Curves for TensorBoard: scalars by tag and step in events.out.tfevents.<seconds>.local.fgnn,
// which holds the protocol buffers "Event" in the frames of TFRecord (docs/formats.md).
//
//   EventFile events("runs/first");
//   events.scalar("loss/train", 100, 0.25);
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace fgnn {

// Seconds since 1970, the wall time of events.
double wall_time_now();

class EventFile {
 public:
  // Makes the directory if need be, and in it a file of its own: earlier ones are left alone, and
  // TensorBoard shows them as one run. Throws Error(io).
  explicit EventFile(const std::filesystem::path& directory, double wall_time = wall_time_now());
  EventFile(EventFile&&) = default;
  ~EventFile();

  // Kept in memory until flush(), or until 64 KiB have come together.
  void scalar(std::string_view tag, std::int64_t step, double value,
              double wall_time = wall_time_now());
  // Hands whole records to the system. Throws Error(io) naming the file, and what could not be
  // written is lost; the destructor does the same and keeps the failure to itself.
  void flush();

  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void append(const std::string& event);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string pending_;
};

}  // namespace fgnn
