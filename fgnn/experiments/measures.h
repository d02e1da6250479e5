// The measures that tasks bring (tasks/metrics.h), as the program prints them.
#pragma once

#include "fgnn/report/json.h"
#include "fgnn/report/text_table.h"
#include "fgnn/tasks/metrics.h"

namespace fgnn::experiments {

// A line each: name, value and unit.
void add_named(const tasks::Metrics& metrics, Summary& summary);

// An array of objects with name, value and unit; absent where there are none.
void add_named(const tasks::Metrics& metrics, Json& json);

}  // namespace fgnn::experiments
