// The front door: everything public, in one include.
//
// What is named here is the public surface, and this is the only list of it: these headers are
// installed, each compiles alone, and they include each other only (tests/architecture). All other
// headers are internal and may change with every commit. A header becomes public by a line here.
#pragma once

// Core: errors, observers and stop tokens, threads, random numbers.
#include "fgnn/core/budget.h"
#include "fgnn/core/control.h"
#include "fgnn/core/error.h"
#include "fgnn/core/fields.h"
#include "fgnn/core/parallel.h"
#include "fgnn/core/parse.h"
#include "fgnn/core/phases.h"
#include "fgnn/core/random.h"
#include "fgnn/core/scramble.h"
#include "fgnn/core/setting_value.h"
#include "fgnn/core/settings.h"
#include "fgnn/core/stop.h"
#include "fgnn/core/timing.h"
#include "fgnn/core/types.h"
#include "fgnn/core/warning.h"
#include "fgnn/core/words.h"

// Graphs.
#include "fgnn/graph/evidence.h"
#include "fgnn/graph/factor_graph.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/graph/names.h"
#include "fgnn/graph/potential.h"
#include "fgnn/graph/statistics.h"
#include "fgnn/graph/views.h"

// Potentials, one kind each.
#include "fgnn/potentials/all_different.h"
#include "fgnn/potentials/count.h"
#include "fgnn/potentials/low_rank.h"
#include "fgnn/potentials/max_rank_one.h"
#include "fgnn/potentials/parity.h"
#include "fgnn/potentials/potentials.h"
#include "fgnn/potentials/robust_potts.h"
#include "fgnn/potentials/sparse.h"
#include "fgnn/potentials/table.h"

// Tables as sums and maxima of rank-1 terms.
#include "fgnn/decompose/cp.h"
#include "fgnn/decompose/max_rank_one.h"

// Inference: marginals, MAP, bounds, comparisons.
#include "fgnn/infer/ad3.h"
#include "fgnn/infer/belief_propagation.h"
#include "fgnn/infer/branch_and_bound.h"
#include "fgnn/infer/certificate.h"
#include "fgnn/infer/compare.h"
#include "fgnn/infer/decode.h"
#include "fgnn/infer/enumerate.h"
#include "fgnn/infer/exact.h"
#include "fgnn/infer/feasibility.h"
#include "fgnn/infer/finish.h"
#include "fgnn/infer/low_rank_form.h"
#include "fgnn/infer/method_options.h"
#include "fgnn/infer/methods.h"
#include "fgnn/infer/mplp.h"
#include "fgnn/infer/repair.h"
#include "fgnn/infer/result.h"

// Files.
#include "fgnn/core/read_limits.h"
#include "fgnn/io/alist.h"
#include "fgnn/io/code_files.h"
#include "fgnn/io/fgt.h"
#include "fgnn/io/files.h"
#include "fgnn/io/libdai.h"
#include "fgnn/io/qc.h"
#include "fgnn/io/safetensors.h"
#include "fgnn/io/tensor_file.h"
#include "fgnn/io/uai.h"
#include "fgnn/io/uai_answers.h"

// Codes: channels, decoders, error rates.
#include "fgnn/codes/analyse.h"
#include "fgnn/codes/bit_matrix.h"
#include "fgnn/codes/bp_options.h"
#include "fgnn/codes/channel.h"
#include "fgnn/codes/code.h"
#include "fgnn/codes/construct.h"
#include "fgnn/codes/decoder.h"
#include "fgnn/codes/decoders.h"
#include "fgnn/codes/encoder.h"
#include "fgnn/codes/error_rates.h"
#include "fgnn/codes/llr.h"
#include "fgnn/codes/osd.h"
#include "fgnn/codes/parity_matrix.h"
#include "fgnn/codes/peeling.h"
#include "fgnn/codes/simulate.h"

// Networks: text to operations, run, saved; layers and operations of your own.
#include "fgnn/network/batch.h"
#include "fgnn/network/description.h"
#include "fgnn/network/layer_registry.h"
#include "fgnn/network/memory.h"
#include "fgnn/network/model.h"
#include "fgnn/network/operation.h"
#include "fgnn/network/operations.h"
#include "fgnn/network/pass.h"
#include "fgnn/network/program.h"
#include "fgnn/network/run.h"
#include "fgnn/network/structure.h"
#include "fgnn/network/writer.h"

// What operations are written with.
#include "fgnn/kernels/activation.h"
#include "fgnn/kernels/aggregate.h"
#include "fgnn/kernels/aligned.h"
#include "fgnn/kernels/convolution.h"
#include "fgnn/kernels/incidence.h"
#include "fgnn/kernels/linear.h"
#include "fgnn/kernels/message.h"
#include "fgnn/kernels/pointwise.h"

// Algorithms compiled into networks.
#include "fgnn/neuralize/compile.h"
#include "fgnn/neuralize/family.h"

// Learning: tasks, training, trained networks as methods and decoders, several machines.
#include "fgnn/cluster/group.h"
#include "fgnn/learned/decoder.h"
#include "fgnn/learned/method.h"
#include "fgnn/learned/weights.h"
#include "fgnn/tasks/loss.h"
#include "fgnn/tasks/metrics.h"
#include "fgnn/tasks/task.h"
#include "fgnn/train/options.h"
#include "fgnn/train/run_folder.h"
#include "fgnn/train/trainer.h"
#include "fgnn/version.h"
