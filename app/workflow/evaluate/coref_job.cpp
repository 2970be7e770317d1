#include "app/workflow/evaluate/coref_job.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/workflow/evaluate/coreference_files.h"
#include "model/tokenizer/text/lowercase.h"

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

}  // namespace

CorefResult run_coref_job(const CorefOptions& options) {
  CorefResult result;
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
      set_chains(document, analysis::baseline_chains(options.baseline, mentions, words));
      result.apart += io::set_crossing_apart(document);
      result.documents.push_back(std::move(document));
    }
  }
  return result;
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
