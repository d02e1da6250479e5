#include "fgnn/train/group.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "fgnn/core/error.h"

namespace fgnn::train {
namespace {

constexpr std::int64_t kBucket = 1 << 18;  // numbers: 1 MiB
constexpr std::chrono::seconds kTimeout{120};

// What the others' silence or torch's complaint becomes.
template <class F>
auto talking(std::size_t rank, F f) {
  try {
    return f();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    std::string first_line(e.what());
    first_line = first_line.substr(0, first_line.find('\n'));
    throw Error(ErrorCode::io, fmt::format("rank {}", rank),
                fmt::format("lost contact with the other processes: {}", first_line),
                "the last checkpoint is intact; start all again with --resume");
  }
}

// Calls back when a parameter's gradient is complete.
class Ready : public torch::autograd::FunctionPostHook {
 public:
  explicit Ready(std::function<void()> f) : f_(std::move(f)) {}
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list&) override {
    f_();
    return outputs;
  }

 private:
  std::function<void()> f_;
};

class GlooGroup final : public Group {
 public:
  GlooGroup(std::size_t rank, std::size_t size, const std::string& host, std::uint16_t port)
      : rank_(rank), size_(size) {
    talking(rank, [&] {
      c10d::TCPStoreOptions store;
      store.port = port;
      store.isServer = rank == 0;
      store.numWorkers = size;
      store.timeout = kTimeout;
      auto options = c10d::ProcessGroupGloo::Options::create(kTimeout);
      options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(
          host == "localhost" || host == "127.0.0.1" ? "127.0.0.1" : own_host()));
      options->threads = 2;
      gloo_ = c10::make_intrusive<c10d::ProcessGroupGloo>(
          c10::make_intrusive<c10d::TCPStore>(host, store), static_cast<int>(rank),
          static_cast<int>(size), options);
    });
  }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }

  void sum(std::span<double> values) override {
    talking(rank_, [&] {
      at::Tensor t = wrap(values);
      std::vector<at::Tensor> tensors{t};
      gloo_->allreduce(tensors)->wait();
    });
  }
  void broadcast(std::span<float> values) override { send(wrap(values)); }
  void broadcast(std::span<double> values) override { send(wrap(values)); }

  void attach(nn::Module& module) override {
    module_ = &module;
    const std::int64_t total = module.parameters().numel();
    buckets_.resize(std::max<std::int64_t>(1, (total + kBucket - 1) / kBucket));
    for (std::size_t i = 0; i < module.tensors().size(); ++i) {
      const std::int64_t begin = module.offsets()[i];
      if (begin < 0) continue;
      const at::Tensor& t = module.tensors()[i];
      // A parameter belongs to every bucket that it reaches into.
      const std::int64_t first = begin / kBucket, last = (begin + t.numel() - 1) / kBucket;
      for (std::int64_t b = first; b <= last; ++b) ++buckets_[b].parameters;
      const auto node = torch::autograd::impl::grad_accumulator(t);
      node->add_post_hook(std::make_unique<Ready>([this, first, last] {
        for (std::int64_t b = first; b <= last; ++b) {
          if (++buckets_[b].ready == buckets_[b].parameters) start(b);
        }
      }));
      accumulators_.push_back(node);  // torch keeps them weakly
    }
  }

  void finish_gradients() override {
    talking(rank_, [&] {
      for (std::size_t b = buckets_.size(); b-- > 0;) {
        if (!buckets_[b].work) start(static_cast<std::int64_t>(b));  // parameters not in use
      }
      for (auto& b : buckets_) {
        b.work->wait();
        b.work.reset();
        b.ready = 0;
      }
    });
  }

 private:
  struct Bucket {
    int parameters = 0, ready = 0;
    c10::intrusive_ptr<c10d::Work> work;
  };

  static std::string own_host() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return name;
  }

  template <class T>
  static at::Tensor wrap(std::span<T> values) {
    return at::from_blob(values.data(), {static_cast<std::int64_t>(values.size())},
                         sizeof(T) == 4 ? at::kFloat : at::kDouble);
  }

  void send(at::Tensor t) {
    talking(rank_, [&] {
      std::vector<at::Tensor> tensors{std::move(t)};
      gloo_->broadcast(tensors)->wait();
    });
  }

  void start(std::int64_t bucket) {
    at::Tensor all = module_->gradients();
    const std::int64_t begin = bucket * kBucket;
    std::vector<at::Tensor> part{all.narrow(0, begin, std::min(kBucket, all.numel() - begin))};
    buckets_[bucket].work = gloo_->allreduce(part);
  }

  std::size_t rank_, size_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_;
  nn::Module* module_ = nullptr;
  std::vector<Bucket> buckets_;
  std::vector<std::shared_ptr<torch::autograd::Node>> accumulators_;
};

std::size_t number(const char* name, std::size_t most) {
  const char* text = std::getenv(name);
  if (text == nullptr) {
    throw Error(ErrorCode::usage, name, "is not set, but other variables of a distributed run are",
                "torchrun and Slurm set RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT");
  }
  std::size_t value = 0;
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value > most) {
    throw Error(ErrorCode::usage, name, fmt::format("is '{}', not a number up to {}", text, most));
  }
  return value;
}

}  // namespace

std::unique_ptr<Group> Group::from_environment() {
  if (std::getenv("WORLD_SIZE") == nullptr && std::getenv("RANK") == nullptr) {
    return std::make_unique<Group>();
  }
  const std::size_t size = number("WORLD_SIZE", 4096);
  if (size == 0) throw Error(ErrorCode::usage, "WORLD_SIZE", "is 0");
  const std::size_t rank = number("RANK", size - 1);
  if (size == 1) return std::make_unique<Group>();
  const std::size_t port = number("MASTER_PORT", 65535);
  const char* host = std::getenv("MASTER_ADDR");
  if (host == nullptr) throw Error(ErrorCode::usage, "MASTER_ADDR", "is not set");
  return std::make_unique<GlooGroup>(rank, size, host, static_cast<std::uint16_t>(port));
}

}  // namespace fgnn::train
