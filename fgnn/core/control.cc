#include "fgnn/core/control.h"

namespace fgnn {

Stage::~Stage() {
  if (observer_ == nullptr) return;
  now_.over = true;
  try {
    observer_->on_progress(now_);
  } catch (...) {  // the stage is over in any case, perhaps because of another exception
  }
}

}  // namespace fgnn
