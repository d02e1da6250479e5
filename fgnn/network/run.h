// A forward run of a network on the kernels alone: no framework, no gradients, buffers kept between
// runs. Batch norms use the moments remembered from training.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "fgnn/kernels/aligned.h"
#include "fgnn/network/batch.h"
#include "fgnn/network/model.h"

namespace fgnn::network {

// T is float, or double for comparisons.
template <class T>
class Runner {
 public:
  explicit Runner(const Model& model);

  // Rows of the output register: copies * variables (or graphs), in the batch's order. Valid until
  // the next run. Throws Error(usage) when features do not fit the schema.
  std::span<const T> run(const Batch& batch, int threads = 1);
  std::size_t output_width() const;

 private:
  std::size_t rows_of(int reg) const;
  T* output(int reg);
  const T* in(int reg) const { return reg < 0 ? nullptr : registers_[reg].data(); }
  const T* weight(int parameter) const {
    return parameter < 0 ? nullptr : weights_[parameter].data();
  }

  void step(const Linear& o);
  void step(const Norm& o);
  void step(const Message& o);
  void step(const ScaledMessage& o);
  void step(const Convolution& o);
  void step(const MaxPool& o);
  void step(const Dropout& o);
  void step(const Append& o);
  void step(const Exclude& o);
  void step(const Add& o);
  void step(const Multiply& o);
  void step(const Activate& o);
  void step(const Softmax& o);
  void step(const Zero& o);
  void step(const Gru& o);
  void step(const KNearest& o);

  Program program_;
  std::vector<kernels::AlignedVector<T>> weights_, registers_;
  kernels::AlignedVector<T> mixed_;
  std::vector<std::unique_ptr<Incidence>> nearest_;
  const Batch* batch_ = nullptr;
  int threads_ = 1;
};

// Throws Error(usage) naming the features that do not fit the schema.
void check_features(const Program& program, const Batch& batch);

// The batch's mask where it takes edges out of this operation, else null.
const std::uint8_t* mask_of(const Message& message, const Batch& batch);
const std::uint8_t* mask_of(const ScaledMessage& message, const Batch& batch);
const std::uint8_t* mask_of(const Exclude& exclude, const Batch& batch);

// Row offsets of the graphs of a batch at a place with rows by graph (variables or factors).
std::vector<std::size_t> graph_rows(const Structure& structure, std::size_t copies, Place place);

}  // namespace fgnn::network
