#include "app/workflow/train/train_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string_view>

namespace mog::app {

namespace {

std::string percent(double value) {
  return fmt::format("{:.2f}", 100.0 * value);
}

std::string with_interval(const analysis::Score& score) {
  if (!std::isfinite(score.interval.low) || !std::isfinite(score.interval.high)) {
    return percent(score.value);
  }
  return fmt::format("{} [{}, {}]", percent(score.value), percent(score.interval.low),
                     percent(score.interval.high));
}

std::string_view metric_name(analysis::TaggingMetric metric) {
  return metric == analysis::TaggingMetric::span_f1 ? "span F1" : "accuracy";
}

void add_output_scores(std::string& text, const std::map<std::string, double>& scores) {
  if (const auto bleu = scores.find("bleu"); bleu != scores.end()) {
    text += fmt::format("BLEU (13a): {:.2f}.\n", bleu->second);
  }
  if (scores.contains("rouge1")) {
    text += fmt::format("ROUGE-1, 2, L (F1, no stems): {:.2f}, {:.2f}, {:.2f}.\n", scores.at("rouge1"),
                        scores.at("rouge2"), scores.at("rougeL"));
  }
}

void add_scores(std::string& text, const CardData& data) {
  const bool lexicon = std::any_of(data.test.begin(), data.test.end(),
                                   [](const TaskScore& score) { return score.lexicon.has_value(); });
  text += fmt::format("\n## Scores on the test part ({} {})\n\n", data.test_sentences,
                      data.test_output.contains("conll") ? "windows" : "sentences");
  if (const auto las = data.test_output.find("las"); las != data.test_output.end()) {
    text += fmt::format(
        "Words with their head: {} % (UAS), with its label too: {} % (LAS), punctuation "
        "counted; words and sentences as the treebank has them.\n",
        percent(data.test_output.at("uas")), percent(las->second));
    if (data.test.empty()) {
      return;
    }
    text += "\n";
  }
  if (const auto conll = data.test_output.find("conll"); conll != data.test_output.end()) {
    text +=
        fmt::format("F1 of MUC, B³, CEAFφ4: {}, {}, {} %; their mean {} %. Chains of one mention count.\n",
                    percent(data.test_output.at("muc")), percent(data.test_output.at("b3")),
                    percent(data.test_output.at("ceafe")), percent(conll->second));
    return;
  }
  if (data.test_nll) {
    text += fmt::format("Negative log likelihood per target token: {:.3f} nats.\n", *data.test_nll);
    add_output_scores(text, data.test_output);
    return;
  }
  text +=
      "Per cent, with 95 % bootstrap intervals over sentences (1,000 resamples; they do not cover the choice "
      "of seed).\n\n";
  text += "| task | score | this model |";
  text += lexicon ? " lexicon |" : "";
  text += data.twin_scores.empty() ? "" : " " + data.twin + " | difference to it |";
  text += "\n|---|---|---|";
  text += lexicon ? "---|" : "";
  text += data.twin_scores.empty() ? "\n" : "---|---|\n";
  for (const TaskScore& score : data.test) {
    text +=
        fmt::format("| {} | {} | {} |", score.task, metric_name(score.metric), with_interval(score.score));
    if (lexicon) {
      text += score.lexicon ? " " + with_interval(*score.lexicon) + " |" : " |";
    }
    for (const TwinScore& twin : data.twin_scores) {
      if (twin.task == score.task) {
        text += fmt::format(" {} | {:+.2f} [{:+.2f}, {:+.2f}] |", with_interval(twin.score),
                            100.0 * twin.comparison.difference, 100.0 * twin.comparison.interval.low,
                            100.0 * twin.comparison.interval.high);
      }
    }
    text += "\n";
  }
  if (lexicon) {
    text += fmt::format(
        "\nLexicon: the most frequent tag of each training word; unknown words ({} % of the test words) by "
        "their "
        "shape (capital: PROPN, digits: NUM, else NOUN; entities: O).\n",
        percent(data.test.front().unknown_words));
  }
}

void add_log(std::string& text, const std::vector<TrainReport>& log) {
  if (log.empty()) {
    return;
  }
  text += "\n## Training log\n\n| step | epoch | training loss |";
  for (const auto& [name, value] : log.front().dev) {
    text += " dev " + name + " |";
  }
  text += " token cosine | best |\n|---|---|---|";
  for (std::size_t at = 0; at < log.front().dev.size(); ++at) {
    text += "---|";
  }
  text += "---|---|\n";
  for (const TrainReport& report : log) {
    text += fmt::format("| {} | {} | {:.4f} |", report.step, report.epoch,
                        report.distillation.empty() ? report.loss : report.total);
    for (const auto& [name, value] : report.dev) {
      text += fmt::format(" {:.4f} |", value);
    }
    text += report.token_cosine ? fmt::format(" {:.3f} |", *report.token_cosine) : std::string(" |");
    text += report.best ? " yes |\n" : " |\n";
  }
  text +=
      "\nToken cosine: mean cosine between two tokens of a sentence after the last encoder layer; near 1 the "
      "encoder would have collapsed.\n";
}

void add_sources(std::string& text, const TrainConfig& config, const CardData& data) {
  text += "\n## Data\n\n";
  for (const DataSource& source : config.sources) {
    text += fmt::format("- {}: {}{}{}\n", source.name, source.licence,
                        source.attribution.empty() ? "" : "; " + source.attribution,
                        source.url.empty() ? "" : " (" + source.url + ")");
  }
  const bool windows = config.model.graph && config.model.graph->kind == model::GraphKind::coreference;
  text += fmt::format("\nTrained on {} {}, {} tokens", data.train_sentences,
                      windows ? "windows of documents, which overlap" : "sentences", data.train_tokens);
  text += data.left_out > 0 ? fmt::format("; {} sentences of more than {} tokens were left out.\n",
                                          data.left_out, config.training.max_tokens)
                            : std::string(".\n");
  const auto files = [&](std::string_view name, const DataSplit& split) {
    std::string line;
    for (const auto* paths : {&split.conllu, &split.iob2, &split.source, &split.target, &split.coref}) {
      for (const std::filesystem::path& path : *paths) {
        line += (line.empty() ? "" : ", ") + path.string();
      }
    }
    for (const auto& [path, share] : split.text) {
      line += (line.empty() ? "" : ", ") + path.string();
      line += share < 1.0 ? fmt::format(" (a share of {} in every epoch)", share) : "";
    }
    if (!line.empty()) {
      text += fmt::format("- {}: {}\n", name, line);
    }
  };
  files("train", config.train);
  files("dev", config.dev);
  files("test", config.test);
}

void add_origins(std::string& text, const std::vector<Origin>& origins) {
  for (const Origin& origin : origins) {
    text += fmt::format("\n{} {} (model.safetensors: sha256 {}){}\n", origin.role, origin.name,
                        origin.weights_sha256, origin.words.empty() ? "." : ", whose card says:");
    for (const std::string& line : origin.words) {
      text += (line.starts_with("- ") ? "" : "- ") + line + "\n";
    }
  }
}

}  // namespace

Origin origin_of(std::string role, const std::filesystem::path& directory, std::string weights_sha256) {
  std::string name = directory.filename().string();
  name = name.empty() ? directory.parent_path().filename().string() : name;
  Origin origin{std::move(role), std::move(name), std::move(weights_sha256), {}};
  std::ifstream card(directory / "README.md");
  bool data = false;
  for (std::string line; std::getline(card, line);) {
    if (line.starts_with("#")) {
      data = line == "## Data";
    } else if (line.starts_with("Converted by") || line.starts_with("- license of the source") ||
               line.starts_with("- vocabulary pruned") ||
               (data && (line.starts_with("- ") || line.starts_with("Trained on") ||
                         line.starts_with("Started from") || line.starts_with("Learnt from")))) {
      origin.words.push_back(line);
    }
  }
  return origin;
}

std::string model_card(const TrainConfig& config, const CardData& data) {
  std::string text = fmt::format("# {}\n\n", config.name);
  if (!config.description.empty()) {
    text += config.description + "\n\n";
  }
  text += fmt::format("{}; {} parameters", model::describe(config.model.encoder), data.parameters);
  text += config.translation() ? fmt::format("; decoder of {} layers", config.model.decoder->layers) : "";
  text += config.model.gret ? "; " + model::describe(*config.model.gret) : "";
  text += fmt::format("; vocabulary of {}.\n", config.model.vocab_size);
  for (const auto& [task, tags] : config.model.tasks) {
    text += fmt::format("Task {}: {} tags.\n", task, tags.size());
  }
  if (config.model.graph) {
    text += model::describe(*config.model.graph) + ".\n";
  }
  if (config.model.tokenizer.words != model::WordCut::automatic) {
    text += fmt::format("Words of plain text: {}.\n", model::name(config.model.tokenizer.words));
  }
  text += fmt::format("\n- model.safetensors: {} bytes, {}, sha256 {}\n- licence of the weights: {}\n",
                      data.weights_bytes, name(config.weights), data.weights_sha256, config.license);
  if (!data.test.empty() || data.test_nll || !data.test_output.empty()) {
    add_scores(text, data);
  }
  if (!data.dev.empty()) {
    text += "\nDevelopment part, at the chosen step:";
    for (const auto& [name, value] : data.dev) {
      text += fmt::format(" {} {:.4f}", name, value);
    }
    text += "\n";
  }
  add_sources(text, config, data);
  add_origins(text, data.origins);
  const TrainingPlan& plan = config.training;
  text += fmt::format(
      "\n## Training\n\nSeed {}. {} updates in {} epochs ({:.1f} minutes on {}){}; the weights are {} "
      "step "
      "{}, the best on the development part. Adam, batches of {} tokens, learning rate {}, warm-up {} "
      "updates, "
      "dropout {}, word dropout {}, label smoothing {}, gradient norm clipped at {}.\n",
      plan.trainer.seed, data.steps, data.epochs, data.elapsed_s / 60.0, data.device,
      data.stopped_early ? ", stopped early" : "",
      data.averaged ? "the mean of the last validations', which beats those of" : "those of", data.best_step,
      plan.batch_tokens, plan.learning_rate, plan.warmup, plan.trainer.dropout, plan.trainer.word_dropout,
      plan.trainer.label_smoothing, plan.trainer.clip_norm);
  add_log(text, data.log);
  text += fmt::format(
      "\n## Training it again\n\n```\nmog train {}{} --data DATA --output DIR\n```\nDATA is the folder that "
      "the "
      "paths above start from. With the same version of the program, on one thread of one kind of processor, "
      "the same losses come out, bit for bit. The configuration:\n\n```toml\n{}```\n",
      config.file.filename().string(), config.sweep_run.empty() ? "" : " --runs " + config.sweep_run,
      config.text);
  return text;
}

}  // namespace mog::app
