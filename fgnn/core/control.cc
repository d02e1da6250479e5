#include "fgnn/core/control.h"

#include "fgnn/core/error.h"

namespace fgnn {

void Control::end_if_stopped(const std::string& subject, const std::string& what) const {
  if (stop.stop_requested()) {
    throw Error(ErrorCode::interrupted, subject, "interrupted; " + what);
  }
}

Stage::~Stage() {
  if (observer_ == nullptr) return;
  now_.over = true;
  try {
    observer_->on_progress(now_);
  } catch (...) {  // the stage is over in any case, perhaps because of another exception
  }
}

}  // namespace fgnn
