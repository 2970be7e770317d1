// Keys of a training configuration that contradict each other, or that would be read and then not matter.

#include <algorithm>
#include <initializer_list>

#include "app/workflow/experiment/train_config_parts.h"
#include "model/dependency_graph.h"

namespace mog::app {

namespace {

using Path = std::initializer_list<std::string_view>;

constexpr std::int64_t kFrame = 2;  // special tokens around a window, at most

class Check {
 public:
  Check(const TrainConfig& config, const toml::table& document) : config_(config), document_(document) {}

  void run() const {
    check_kind();
    check_graph();
    check_recurrent();
    check_part("train", config_.train);
    check_part("dev", config_.dev);
    check_unread();
    check_tasks();
    check_tokenizer();
    check_training();
    check_start();
    check_stages();
  }

 private:
  // The node under a path; nullptr where the file does not say it.
  const toml::node* find(Path path) const {
    const toml::node* node = &document_;
    for (const std::string_view key : path) {
      const toml::table* const table = node->as_table();
      node = table == nullptr ? nullptr : table->get(key);
      if (node == nullptr) {
        return nullptr;
      }
    }
    return node;
  }
  // Names the line of the longest beginning of `path` that the file has.
  [[noreturn]] void refuse(Path path, const std::string& what) const {
    std::int64_t line = 0;
    const toml::node* node = &document_;
    for (const std::string_view key : path) {
      const toml::table* const table = node->as_table();
      node = table == nullptr ? nullptr : table->get(key);
      if (node == nullptr) {
        break;
      }
      line = static_cast<std::int64_t>(node->source().begin.line);
    }
    throw ModelError("Reading " + config_.file.string() +
                     (line > 0 ? ", line " + std::to_string(line) : std::string()) + ": " + what);
  }
  // Refuses a key that the file says although it would not matter.
  void refuse_if_said(Path path, const std::string& why) const {
    if (find(path) == nullptr) {
      return;
    }
    std::string name;
    for (const std::string_view key : path) {
      name += (name.empty() ? "" : ".") + std::string(key);
    }
    refuse(path, name + " " + why);
  }

  void check_kind() const {
    if (config_.translation() && !config_.tasks.empty()) {
      refuse({"tasks"}, "[tasks] needs architecture = \"encoder\"; a translation model has none.");
    }
    if (!config_.translation() && config_.tasks.empty() && !config_.distills() && !config_.model.graph) {
      refuse(
          {"model", "architecture"},
          "architecture = \"encoder\" needs at least one task, for example [tasks.upos] column = \"upos\", "
          "[graph] or [distill].");
    }
  }

  // What a GRU or LSTM has nothing of.
  void check_recurrent() const {
    if (!config_.model.encoder.recurrent()) {
      return;
    }
    const std::string why = "is not for an encoder of kind gru or lstm";
    for (const std::string_view key :
         {"heads", "high_scale", "middle_scale", "low_scale", "gate_scale", "gate_bias", "sample_tokens"}) {
      refuse_if_said({"start", key}, why + ": it is of attention, and this encoder takes whole tensors.");
    }
    const std::vector<DistillStage>& stages = config_.distill.stages;
    if (config_.distills() && std::any_of(stages.begin(), stages.end(), [](const DistillStage& stage) {
          return stage.losses.attention > 0.0;
        })) {
      refuse({"distill"},
             "the loss attention " + why + ", which has no attention maps; take hidden, last or sentence.");
    }
    if (!config_.translation()) {
      refuse_if_said({"training", "attention_dropout"}, why + ", which has no attention.");
      refuse_if_said({"training", "activation_dropout"}, why + ", which has no feed-forward block.");
      refuse_if_said({"training", "branch_scale"}, why + ", which has no branches beside a residual.");
    }
  }

  void check_part(std::string_view part, const DataSplit& split) const {
    const std::string name = "data." + std::string(part);
    if (config_.translation()) {
      if (split.source.empty() || split.source.size() != split.target.size()) {
        refuse({"data", part}, name + " needs source and target, the same number of files each.");
      }
      return;
    }
    if (!split.text.empty() && !config_.distills()) {
      refuse({"data", part, "text"}, name + ".text has no labels, so it needs [distill] with a teacher.");
    }
    if (config_.distills() && config_.tasks.empty() && split.text.empty() && split.conllu.empty()) {
      refuse({"data", part}, name + " needs text or conllu to distil on.");
    }
    for (const TaskConfig& task : config_.tasks) {
      const bool iob = task.column == TaskColumn::iob2;
      if (iob ? split.iob2.empty() : split.conllu.empty()) {
        refuse({"tasks", task.name},
               "task " + task.name + " needs " + name + "." + (iob ? "iob2." : "conllu."));
      }
    }
  }

  void check_unread() const {
    for (const std::string_view part : {"train", "dev", "test"}) {
      if (config_.translation()) {
        for (const std::string_view key : {"conllu", "iob2", "text"}) {
          refuse_if_said({"data", part, key}, "is for encoders; a translation model has source and target.");
        }
      } else {
        for (const std::string_view key : {"source", "target"}) {
          refuse_if_said({"data", part, key}, "is for architecture = \"encoder_decoder\".");
        }
      }
    }
    if (!config_.model.graph || config_.model.graph->kind != model::GraphKind::coreference) {
      for (const std::string_view part : {"train", "dev", "test"}) {
        refuse_if_said({"data", part, "coref"}, "is for [graph] with kind = \"coreference\".");
      }
    }
    refuse_if_said({"data", "test", "text"},
                   "has no labels to be scored by; \"mog evaluate --teacher\" compares "
                   "with a teacher.");
  }

  void check_tasks() const {
    for (const TaskConfig& task : config_.tasks) {
      const bool iob = task.column == TaskColumn::iob2;
      refuse_if_said({"tasks", task.name, iob ? "tags" : "labels"},
                     iob ? "is for the columns upos and xpos; kinds of entities are labels."
                         : "is for the column iob2; a closed set is tags.");
    }
  }

  void check_tokenizer() const {
    const TokenizerPlan& plan = config_.tokenizer;
    if (!plan.model.empty()) {
      return;
    }
    if (plan.kind != model::TokenizerKind::bpe) {
      for (const std::string_view key : {"merges", "codes"}) {
        refuse_if_said({"tokenizer", key}, "is for tokenizer.kind = \"bpe\".");
      }
    }
    if (!plan.codes.empty()) {
      refuse_if_said({"tokenizer", "merges"},
                     "and tokenizer.codes contradict each other: codes are not learnt "
                     "again.");
    }
    if (!plan.vocab.empty()) {
      refuse_if_said({"tokenizer", "min_count"},
                     "and tokenizer.vocab contradict each other: the vocabulary is "
                     "taken as it is.");
    }
    if (plan.kind == model::TokenizerKind::bpe && plan.codes.empty() && !plan.vocab.empty()) {
      refuse({"tokenizer", "vocab"}, "tokenizer.vocab with tokenizer.kind = \"bpe\" needs tokenizer.codes.");
    }
    if (!config_.translation()) {
      refuse_if_said({"tokenizer", "target_vocab"}, "is for architecture = \"encoder_decoder\".");
    } else if (!plan.vocab.empty() && plan.target_vocab.empty()) {
      refuse({"tokenizer", "vocab"}, "tokenizer.vocab needs tokenizer.target_vocab for a translation model.");
    }
  }

  void check_training() const {
    const TrainingPlan& plan = config_.training;
    if (plan.min_learning_rate > plan.learning_rate) {
      refuse({"training", "min_learning_rate"},
             "training.min_learning_rate is above training.learning_rate.");
    }
    if (!config_.translation()) {
      for (const std::string_view key :
           {"validation_bleu", "validation_rouge", "validation_beam", "best_by"}) {
        refuse_if_said({"training", key}, "is for architecture = \"encoder_decoder\".");
      }
    } else if (plan.validation_bleu == 0 && plan.validation_rouge == 0) {
      refuse_if_said({"training", "validation_beam"},
                     "needs training.validation_bleu or validation_rouge above 0.");
    }
    if (plan.best_by == BestBy::bleu && plan.validation_bleu == 0) {
      refuse({"training", "best_by"}, "training.best_by = \"bleu\" needs training.validation_bleu above 0.");
    }
    if (plan.best_by == BestBy::rouge_l && plan.validation_rouge == 0) {
      refuse({"training", "best_by"},
             "training.best_by = \"rougeL\" needs training.validation_rouge above 0.");
    }
    if (plan.schedule == Schedule::constant) {
      refuse_if_said({"training", "min_learning_rate"}, "and schedule = \"constant\" contradict each other.");
    }
  }

  void check_start() const {
    if (config_.start.model.empty()) {
      return;
    }
    if (config_.start.options.cut == model::HeadCut::fit) {
      for (const std::string_view key : {"high_scale", "middle_scale", "low_scale", "gate_scale"}) {
        refuse_if_said({"start", key}, "and heads = \"fit\" contradict each other: a fit scales nothing.");
      }
    } else {
      refuse_if_said({"start", "sample_tokens"}, "is for heads = \"fit\".");
    }
  }

  void check_stages() const {
    const std::vector<DistillStage>& stages = config_.distill.stages;
    if (!config_.distills()) {
      return;
    }
    const bool states = std::any_of(stages.begin(), stages.end(), [](const DistillStage& stage) {
      return stage.losses.hidden > 0.0 || stage.losses.last > 0.0;
    });
    if (!states) {
      refuse_if_said({"distill", "state_loss"}, "is of the losses hidden and last, and both are 0.");
    }
    std::int64_t begin = 0;
    for (std::size_t at = 0; at + 1 < stages.size(); ++at) {
      begin += stages[at].updates;
      if (config_.training.updates > 0 && begin >= config_.training.updates) {
        refuse({"training", "updates"}, "training.updates = " + std::to_string(config_.training.updates) +
                                            " ends the run before stage " + std::to_string(at + 2) +
                                            " of [[distill.stage]] begins (after update " +
                                            std::to_string(begin) + ").");
      }
    }
  }

  void check_graph() const {
    if (!config_.model.graph) {
      return;
    }
    if (config_.translation()) {
      refuse({"graph"}, "[graph] needs architecture = \"encoder\"; a translation model predicts none.");
    }
    if (config_.distills()) {
      refuse({"graph"}, "[graph] and [distill] contradict each other: a graph is learnt from its labels.");
    }
    if (config_.model.encoder.graph_input && !model::can_read_graph(config_.model.encoder)) {
      refuse({"graph", "input"}, "[graph.input] is for an encoder of kind transformer.");
    }
    const std::vector<std::string> heads = model::head_names(*config_.model.graph);
    for (const TaskConfig& task : config_.tasks) {
      if (std::find(heads.begin(), heads.end(), task.name) != heads.end()) {
        refuse({"tasks", task.name}, "[tasks." + task.name + "]: the graph has a head of this name.");
      }
    }
    const bool trees = config_.model.graph->is_tree();
    if (!trees && !config_.tasks.empty()) {
      refuse({"tasks"},
             "[tasks] and graph.kind = \"coreference\" contradict each other: documents have no tags.");
    }
    const model::GraphConfig& graph = *config_.model.graph;
    if (!trees && graph.overlap >= graph.window - kFrame) {
      refuse({"graph", "overlap"}, "graph.overlap = " + std::to_string(graph.overlap) +
                                       " must be less than graph.window = " + std::to_string(graph.window) +
                                       " without its special tokens.");
    }
    for (const auto& [part, split] : {std::pair{"train", &config_.train}, std::pair{"dev", &config_.dev}}) {
      if (trees ? split->conllu.empty() : split->coref.empty()) {
        refuse({"data", part}, "[graph] needs data." + std::string(part) +
                                   (trees ? ".conllu." : ".coref (files of CoNLL-2012)."));
      }
    }
  }

  const TrainConfig& config_;
  const toml::table& document_;
};

}  // namespace

void check_train_config(const TrainConfig& config, const toml::table& document) {
  Check(config, document).run();
}

}  // namespace mog::app
