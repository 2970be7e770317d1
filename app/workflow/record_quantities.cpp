#include "app/workflow/record_quantities.h"

#include <algorithm>
#include <string>
#include <utility>

#include "app/workflow/named_quantities.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

void sort_by_name(std::vector<QuantitySchema>& schemas) {
  std::sort(schemas.begin(), schemas.end(),
            [](const QuantitySchema& left, const QuantitySchema& right) { return left.name < right.name; });
}

// Appends what is not there yet.
void add_missing(std::vector<QuantitySchema>& schemas, std::span<const QuantitySchema> more) {
  for (const QuantitySchema& schema : more) {
    const bool there = std::any_of(schemas.begin(), schemas.end(),
                                   [&](const QuantitySchema& entry) { return entry.name == schema.name; });
    if (!there) {
      schemas.push_back(schema);
    }
  }
  sort_by_name(schemas);
}

}  // namespace

void Computers::add(RecordingBatch& batch) const {
  if (attributions) {
    attributions->add(batch, report);
  }
  if (orders) {
    narrow_to_float32(batch);
    orders->add(batch);
  }
  if (attributions || orders) {
    keep_only(batch, *header);
  }
}

std::vector<QuantitySchema> choose_quantities(const model::Model& model, const RecordOptions& options,
                                              RecordingHeader& header, Computers& computers) {
  const bool decoder = options.translate || !options.target.empty();
  const std::vector<QuantitySchema> offered = model.quantities();
  const NamedQuantities named = select_named(options.quantities, model.config(), options.capture);
  header.quantities = select_quantities(offered, options.capture, decoder);
  add_missing(header.quantities, named.of_model);
  std::vector<QuantitySchema> observed = header.quantities;
  if (options.check) {
    if (const std::string reason = model::why_no_decompositions(model.config()); !reason.empty()) {
      throw UsageError("--check: " + reason);
    }
  }
  if (options.check || !named.attributions.empty()) {
    std::vector<QuantitySchema> all = offered;
    add_missing(all, model::decomposition_quantities(model.config()));
    computers.attributions.emplace(named.attributions, all, model.config().encoder.layers, options.check,
                                   options.precision == model::Precision::float64 ? 1e-10 : 1e-5);
    add_missing(header.quantities, named.attributions);
  }
  if (options.capture.has(CaptureName::orders) || options.capture.has(CaptureName::all)) {
    computers.orders.emplace(header, offered, options.capture);
    observed = computers.orders->observed();
    header.quantities = computers.orders->header().quantities;
  }
  if (computers.attributions) {
    std::vector<QuantitySchema> inputs = computers.attributions->inputs();
    add_missing(inputs, observed);
    std::erase_if(inputs, [&](const QuantitySchema& schema) {
      return std::any_of(named.attributions.begin(), named.attributions.end(),
                         [&](const QuantitySchema& entry) { return entry.name == schema.name; });
    });
    observed = std::move(inputs);
  }
  return observed;
}

}  // namespace mog::app
