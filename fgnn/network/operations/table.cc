// The rows of a parameter, one for each kind of edge: numbers that are learned by kind.
#include <algorithm>

#include "fgnn/network/operations/check.h"
#include "fgnn/network/operations/sample.h"
#include "fgnn/network/pass.h"

namespace fgnn::network {
namespace {

class TableSteps : public Steps<TableSteps> {
 public:
  explicit TableSteps(Table table) : o(table) {}

  std::string_view name() const override { return "table"; }
  Ports ports() const override { return {{}, o.output, {o.rows}, {}}; }
  void check(const Program& program) const override {
    const Check check(name(), program);
    check.that(check.at(o.output).place.rows == Place::kind, "has rows by kind of edge");
    check.shape(o.rows, {-1, static_cast<std::int64_t>(check.at(o.output).width)});
  }
  void check(const Program& program, const Batch& batch) const override {
    const int relation = program.registers[o.output].place.relation;
    check_kinds(batch, Way::variable_to_factor, relation, program.parameters[o.rows].shape[0]);
    if (batch.structure->relations()[relation].own_kinds) {
      throw Error(ErrorCode::usage, fmt::format("relation {}", relation),
                  "has kinds of edges of its own, where the network has learned a row for each",
                  "number the kinds alike in all graphs");
    }
  }

  template <class T>
  void run(Pass<T>& p) const {
    std::copy_n(p.weight(o.rows), p.count(o.output), p.output(o.output));
  }

  template <class T>
  void back(Pass<T>& p) const {
    const Into<T> rows = p.into_weight(o.rows);
    T* rest = std::copy_n(p.gradient(o.output), p.count(o.output), rows.data());
    // There may be rows for kinds that this structure does not use.
    std::fill(rest, rows.data() + p.program().parameters[o.rows].count(), T(0));
  }

 private:
  Table o;
};

const Sample table_sample("table", [](Writer& w, const Scene&) {
  const int rows = w.add_register({Place::kind, 0}, 3);
  w.push(Table{w.parameter("rows", {4, 3}, 0.5), rows});
  return w.spread(0, rows);
});

}  // namespace

OperationPtr make(Table o) { return std::make_shared<TableSteps>(o); }

}  // namespace fgnn::network
