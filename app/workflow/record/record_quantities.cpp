#include "app/workflow/record/record_quantities.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "app/workflow/record/named_quantities.h"
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

// What this run cannot give, said before it begins.
void check_named(const NamedQuantities& named, const model::ModelConfig& config, const RecordOptions& options,
                 bool decoder) {
  for (const QuantitySchema& schema : named.of_model) {
    if (schema.of_target() && !decoder) {
      throw UsageError(
          "--quantity " + schema.name.text() +
          ": the decoder runs only with a target: `mog record` with --target FILE (translations) "
          "or --target translate");
    }
  }
  if (options.precision != model::Precision::bfloat16 && options.precision != model::Precision::int8) {
    return;
  }
  std::vector<QuantitySchema> exact = model::decomposition_quantities(config);
  add_missing(exact, model::decoder_decompositions(config));
  const auto is_exact = [&](const QuantitySchema& asked) {
    return std::any_of(exact.begin(), exact.end(),
                       [&](const QuantitySchema& schema) { return schema.name == asked.name; });
  };
  if (options.check || std::any_of(named.of_model.begin(), named.of_model.end(), is_exact)) {
    throw UsageError(
        "decomposing the model exactly: products in bfloat16 or 8 bits do not add up; use --precision "
        "float32 "
        "or float64");
  }
}

}  // namespace

RecordingBatch record_and_compute(const model::Model& model, std::span<const QuantitySchema> observed,
                                  const Computers& computers, std::vector<Sentence> sentences, BatchRun run) {
  std::unique_ptr<OrderPass> orders;
  if (computers.orders) {
    orders = computers.orders->begin(sentences, run.stop);
  }
  run.watcher = orders.get();
  run.report = computers.report;
  RecordingBatch batch = record_batch(model, observed, std::move(sentences), run);
  if (computers.attributions) {
    computers.attributions->add(batch, computers.report);
  }
  if (computers.top_keys) {
    narrow_to_float32(batch);
    computers.top_keys->add(batch);
  }
  if (orders) {
    orders->finish(batch);
  }
  if (computers.attributions || orders || computers.top_keys) {
    keep_only(batch, *computers.header);
  }
  return batch;
}

std::vector<QuantitySchema> choose_quantities(const model::Model& model, const RecordOptions& options,
                                              RecordingHeader& header, Computers& computers) {
  header.system = model.system();
  const bool decoder = options.translate || !options.target.empty();
  const std::vector<QuantitySchema> offered = model.quantities();
  const NamedQuantities named = select_named(options.quantities, model.config(), options.capture);
  check_named(named, model.config(), options, decoder);
  header.quantities = select_quantities(offered, options.capture, decoder);
  add_missing(header.quantities, named.of_model);
  std::vector<QuantitySchema> observed = header.quantities;
  const std::string reason = model::why_no_decompositions(model.config());
  if (options.check && !reason.empty() && !decoder) {
    throw UsageError("--check: " + reason);
  }
  const bool check = options.check && reason.empty();  // of the encoder's
  if (check || !named.attributions.empty()) {
    std::vector<QuantitySchema> all = offered;
    add_missing(all, model::decomposition_quantities(model.config()));
    computers.attributions.emplace(named.attributions, all, model.system().main(), check,
                                   options.precision == model::Precision::float64 ? 1e-10 : 1e-5);
    add_missing(header.quantities, named.attributions);
  }
  if (options.capture.has(CaptureName::orders) || options.capture.has(CaptureName::all)) {
    computers.orders.emplace(header, offered, options.capture);
    header.quantities = computers.orders->header().quantities;
  }
  if (header.quantities.empty() && !options.capture.names.empty() && !computers.orders) {
    throw UsageError(
        "recording " + model.card().name +
        ": it has nothing of what --capture names (a plain Transformer has no gates); `mog describe` lists "
        "what can be recorded of a model, --capture none keeps the sentences alone");
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
  if (options.store_top_k != 0) {
    const bool maps = computers.attributions.has_value();  // which read them
    computers.top_keys.emplace(options.store_top_k, options.max_length, options.capture, header.quantities,
                               observed, maps ? std::span<const QuantitySchema>() : std::span(offered));
  }
  return observed;
}

}  // namespace mog::app
