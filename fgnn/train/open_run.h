// Who may write to the folder of a run, and what a run there is to go on with.
#pragma once

#include <optional>
#include <string>

#include "fgnn/io/folder_lock.h"
#include "fgnn/train/checkpoint.h"
#include "fgnn/train/run_folder.h"

namespace fgnn::train {

// Holds the folder until the lock goes. Returns the run to go on with, if there is one; else writes
// config.json. `identity` is what must be the same when a run goes on, as JSON. Throws Error(io)
// when the folder holds a run to begin anew, none to go on with, or one of another process;
// Error(usage) when the run was started with other options.
std::optional<Checkpoint> open_run(const RunFolder& folder, const std::string& identity,
                                   FolderLock& lock);

}  // namespace fgnn::train
