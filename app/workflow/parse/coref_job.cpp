#include "app/workflow/parse/coref_job.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/workflow/evaluate/coreference_files.h"
#include "app/workflow/parse/coref_text_file.h"
#include "app/workflow/record/live_run.h"
#include "app/workflow/record/rounding_error.h"
#include "io/recording/errors.h"
#include "model/stored_model.h"
#include "model/tokenizer/text/lowercase.h"
#include "model/tokenizer/words/words.h"

namespace mog::app {
namespace {

void set_chains(io::CorefDocument& document, const std::vector<analysis::Chain>& chains) {
  document.mentions.clear();
  for (std::size_t number = 0; number < chains.size(); ++number) {
    for (const analysis::Mention& mention : chains[number]) {
      document.mentions.push_back({mention.begin, mention.end, static_cast<std::int64_t>(number)});
    }
  }
}

std::string text_of(const io::CorefDocument& document, const analysis::Mention& mention) {
  std::string text;
  for (std::int64_t at = mention.begin; at < mention.end; ++at) {
    text += at == mention.begin ? "" : " ";
    text += document.tokens[static_cast<std::size_t>(at)].form;
  }
  return text;
}

CorefJobResult run_baseline(const CorefJobOptions& options) {
  CorefJobResult result;
  for (CoreferenceFile& file : read_coreference_files(options.input)) {
    for (io::CorefDocument& document : file.documents) {
      std::vector<std::string> words;
      for (const io::CorefToken& token : document.tokens) {
        words.push_back(model::lower_case(token.form).text);
      }
      std::vector<analysis::Mention> mentions;
      for (const io::CorefMention& mention : document.mentions) {
        mentions.push_back({mention.begin, mention.end});
      }
      set_chains(document, analysis::baseline_chains(*options.baseline, mentions, words));
      result.apart += io::set_crossing_apart(document);
      result.documents.push_back(std::move(document));
    }
  }
  return result;
}

std::vector<io::CorefDocument> read_documents(const CorefJobOptions& options,
                                              const model::Tokenizer& tokenizer) {
  const std::filesystem::path& input = options.input;
  std::vector<io::CorefDocument> documents;
  if (!std::filesystem::is_directory(input) && !io::is_conll2012(input)) {
    documents.push_back(read_plain_document(input, tokenizer));
    return documents;
  }
  for (CoreferenceFile& file : read_coreference_files(input)) {
    std::move(file.documents.begin(), file.documents.end(), std::back_inserter(documents));
  }
  return documents;
}

CorefJobResult run_model(const CorefJobOptions& options) {
  model::StoredModel directory = model::open_stored_model(options.model);
  require_coreference(directory.config, options.model.string());
  const auto tokenizer = model::with_words(directory.tokenizer, words_of(directory.config, options.words));
  CorefJobResult result;
  result.documents = read_documents(options, *tokenizer);
  const std::shared_ptr<const model::Model> model = load_measured(directory, options.device);
  directory.stored.reset();  // they are the engine's now
  std::int64_t done = 0;
  for (io::CorefDocument& document : result.documents) {
    ResolvedText found = resolve_text(*model, *directory.tokenizer, coref_input(document), options.chains);
    if (!options.singletons) {
      std::erase_if(found.chains, [](const analysis::Chain& chain) { return chain.size() < 2; });
    }
    set_chains(document, found.chains);
    result.apart += io::set_crossing_apart(document);
    result.windows += found.windows;
    result.rounds += found.rounds;
    if (options.progress) {
      options.progress({.done = ++done,
                        .total = static_cast<std::int64_t>(result.documents.size()),
                        .unit = "documents",
                        .message = "resolving"});
    }
  }
  return result;
}

}  // namespace

CorefJobResult run_coref_job(const CorefJobOptions& options) {
  if (options.baseline && !options.model.empty()) {
    throw UsageError("Resolving coreference: a baseline has no model; leave out --baseline or --model.");
  }
  if (options.baseline) {
    return run_baseline(options);
  }
  if (options.model.empty()) {
    throw UsageError(
        "Resolving coreference: say --model FOLDER, or --baseline same-head or nearest for mentions that are "
        "there.");
  }
  return run_model(options);
}

std::string coref_text(const std::vector<io::CorefDocument>& documents) {
  std::string text;
  for (const io::CorefDocument& document : documents) {
    text += io::to_conll2012(document);
  }
  return text;
}

std::string coref_json(const std::vector<io::CorefDocument>& documents) {
  std::string text;
  for (const io::CorefDocument& document : documents) {
    nlohmann::ordered_json line = {{"document", document.name},
                                   {"part", document.part},
                                   {"words", document.tokens.size()},
                                   {"chains", nlohmann::ordered_json::array()}};
    for (const analysis::Chain& chain : chains_of(document)) {
      nlohmann::ordered_json mentions = nlohmann::ordered_json::array();
      for (const analysis::Mention& mention : chain) {
        mentions.push_back(
            {{"begin", mention.begin + 1}, {"end", mention.end}, {"text", text_of(document, mention)}});
      }
      line["chains"].push_back(std::move(mentions));
    }
    text += line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  return text;
}

}  // namespace mog::app
