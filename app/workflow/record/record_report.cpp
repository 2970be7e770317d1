#include "app/workflow/record/record_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/workflow/common/text_format.h"
#include "io/recording/counted.h"

namespace mog::app {

std::string to_json(const RecordSummary& summary) {
  const RecordEstimate& estimate = summary.estimate;
  nlohmann::ordered_json json = {{"path", summary.output.string()},
                                 {"sentences", summary.sentences},
                                 {"recorded", summary.recorded},
                                 {"already_recorded", estimate.already_recorded},
                                 {"tokens", summary.tokens},
                                 {"size_bytes", summary.size_bytes},
                                 {"estimated_size_bytes", estimate.size_bytes},
                                 {"elapsed_s", summary.elapsed_s},
                                 {"longest_tokens", estimate.longest},
                                 {"empty", estimate.empty},
                                 {"skipped_long", estimate.skipped_long},
                                 {"truncated", estimate.truncated},
                                 {"skipped_invalid_utf8", estimate.skipped_invalid},
                                 {"replaced_invalid_utf8", estimate.replaced_invalid},
                                 {"corpus_sha256", estimate.corpus_sha256}};
  for (const IdentityResidual& identity : summary.identities) {
    json["identities"].push_back({{"identity", identity.identity},
                                  {"residual", identity.residual},
                                  {"tolerance", identity.tolerance},
                                  {"layer", identity.layer},
                                  {"head", identity.head},
                                  {"sentence", identity.sentence}});
  }
  if (summary.rounding) {
    json["rounding"] = {{"sentences", summary.rounding->sentences}, {"output", summary.rounding->output()}};
    if (summary.rounding->attention) {
      json["rounding"]["attention"] = *summary.rounding->attention;
    }
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<std::string> identity_lines(const RecordSummary& summary) {
  std::vector<std::string> lines;
  if (!summary.identities.empty()) {
    lines.push_back("identities hold; the largest residual of each, relative to the largest entry:");
  }
  for (const IdentityResidual& identity : summary.identities) {
    std::string where = fmt::format("sentence {}", identity.sentence);
    if (identity.layer > 0) {
      where += fmt::format(", layer {}", identity.layer);
    }
    if (identity.head > 0) {
      where += fmt::format(", head {}", identity.head);
    }
    lines.push_back(fmt::format("  {:<32} {:>8.1e}  allowed {:.0e}  ({})", identity.identity,
                                identity.residual, identity.tolerance, where));
  }
  return lines;
}

std::vector<std::string> estimate_lines(const RecordEstimate& estimate, const RecordOptions& options) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}: {} {}, {} {}, longest {}", options.input.string(),
                              grouped(estimate.sentences), plural(estimate.sentences, "sentence"),
                              grouped(estimate.tokens), plural(estimate.tokens, "token"), estimate.longest));
  const auto left_out = [&](std::int64_t count, const std::string& what) {
    if (count > 0) {
      lines.push_back(fmt::format("  {} {}", grouped(count), what));
    }
  };
  left_out(estimate.empty, "empty lines keep their place");
  left_out(estimate.skipped_long, "too long, left out");
  left_out(estimate.truncated, "too long, cut");
  left_out(estimate.skipped_invalid, "not UTF-8, left out");
  left_out(estimate.replaced_invalid, "not UTF-8, bad parts replaced by U+FFFD");
  left_out(estimate.already_recorded, "recorded already");
  std::string size =
      fmt::format("recording to {}: about {}", options.output.string(), byte_text(estimate.size_bytes));
  if (estimate.free_bytes >= 0) {
    size += fmt::format(", {} free", byte_text(estimate.free_bytes));
  }
  lines.push_back(size);
  return lines;
}

std::string summary_line(const RecordSummary& summary) {
  const double rate = summary.elapsed_s > 0 ? static_cast<double>(summary.recorded) / summary.elapsed_s : 0;
  return fmt::format("{}: {} {}, {} {}, {} in {} ({:.0f} sentences/s)", summary.output.string(),
                     grouped(summary.sentences), plural(summary.sentences, "sentence"),
                     grouped(summary.tokens), plural(summary.tokens, "token"), byte_text(summary.size_bytes),
                     duration_text(summary.elapsed_s), rate);
}

}  // namespace mog::app
