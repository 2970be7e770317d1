// [start] and [distill].
#include "app/workflow/experiment/train_config_parts.h"

namespace mog::app {

namespace {

constexpr std::int64_t kMany = 1'000'000'000;

void read_losses(TomlTable& table, model::LossWeights& losses) {
  table.read("tasks", losses.tasks, 0.0, 1e6);
  table.read("hidden", losses.hidden, 0.0, 1e6);
  table.read("last", losses.last, 0.0, 1e6);
  table.read("attention", losses.attention, 0.0, 1e6);
  table.read("sentence", losses.sentence, 0.0, 1e6);
  table.read("layerwise", losses.layerwise);
}

std::string line_of(const toml::node& node) {
  return std::to_string(node.source().begin.line);
}

void read_stages(TomlTable& table, const toml::array& stages, TrainConfig& config) {
  for (const char* key : {"tasks", "hidden", "last", "attention", "sentence", "layerwise"}) {
    if (const toml::node* node = table.find(key)) {
      throw ModelError("Reading " + config.file.string() + ", line " + line_of(*node) + ": distill." + key +
                       " and [[distill.stage]] contradict each other; say it in the stages.");
    }
  }
  for (const toml::node& node : stages) {
    TomlTable stage(*node.as_table(), "distill.stage", config.file);
    DistillStage item;
    stage.read("updates", item.updates, 1, kMany);
    read_losses(stage, item.losses);
    stage.finish();
    const bool last = &node == &stages.back();
    if (!last && item.updates == 0) {
      throw FormatError("Reading " + config.file.string() + ", line " + line_of(node) +
                        ": distill.stage.updates is missing; only the last stage may go on to the end.");
    }
    config.distill.stages.push_back(item);
  }
}

}  // namespace

void read_start(TomlTable& root, StartPlan& plan, const std::filesystem::path& file) {
  const toml::table* found = root.table("start");
  if (found == nullptr) {
    return;
  }
  TomlTable table(*found, "start", file);
  std::string model;
  table.require("model");
  table.read("model", model);
  plan.model = model;
  if (const int at = table.choice("heads", {"svd", "select", "fit"}); at >= 0) {
    plan.options.cut = static_cast<model::HeadCut>(at);
  }
  table.read("high_scale", plan.options.high_scale, -10.0, 10.0);
  table.read("middle_scale", plan.options.middle_scale, -10.0, 10.0);
  table.read("low_scale", plan.options.low_scale, -10.0, 10.0);
  table.read("gate_bias", plan.options.gate_bias, -10.0, 10.0);
  table.read("gate_scale", plan.options.gate_scale, 0.0, 10.0);
  table.read("sample_tokens", plan.sample_tokens, 1000, 1'000'000);
  table.finish();
}

void read_distill(TomlTable& root, TrainConfig& config) {
  const toml::table* found = root.table("distill");
  if (found == nullptr) {
    return;
  }
  TomlTable table(*found, "distill", config.file);
  std::string teacher;
  table.require("teacher");
  table.read("teacher", teacher);
  config.distill.teacher = teacher;
  if (const int at = table.choice("state_loss", {"mse", "relative", "cosine"}); at >= 0) {
    config.training.trainer.state_loss = static_cast<model::StateLoss>(at);
  }
  config.distill.own_pieces = table.choice("pieces", {"student", "own"}) == 1;
  const toml::array* stages = table.tables("stage");
  if (stages != nullptr && !stages->empty()) {
    read_stages(table, *stages, config);
  } else {
    DistillStage only;
    read_losses(table, only.losses);
    config.distill.stages.push_back(only);
  }
  table.finish();
  for (const DistillStage& stage : config.distill.stages) {
    const bool learns = stage.losses.needs_teacher() || (stage.losses.tasks > 0.0 && !config.tasks.empty());
    if (!learns) {
      throw ModelError("Reading " + config.file.string() + ", line " + line_of(*found) +
                       ": a stage of [distill] has no loss; one of hidden, last, attention, sentence must be "
                       "above 0.");
    }
    if (config.distill.own_pieces && (stage.losses.layerwise || stage.losses.attention > 0.0)) {
      throw ModelError(
          "Reading " + config.file.string() + ", line " + line_of(*found) +
          ": distill.pieces = \"own\" and " + (stage.losses.layerwise ? "layerwise" : "attention") +
          " contradict each other: maps and states of two cuttings cannot take each other's place.");
    }
    if (stage.losses.layerwise && !stage.losses.needs_teacher()) {
      throw ModelError("Reading " + config.file.string() + ", line " + line_of(*found) +
                       ": layerwise = true needs hidden or last above 0.");
    }
  }
}

model::LossWeights losses_at(const DistillPlan& plan, std::int64_t step) {
  std::int64_t end = 0;
  for (const DistillStage& stage : plan.stages) {
    end += stage.updates;
    if (stage.updates == 0 || step <= end) {
      return stage.losses;
    }
  }
  return plan.stages.empty() ? model::LossWeights{} : plan.stages.back().losses;
}

}  // namespace mog::app
