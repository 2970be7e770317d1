#include "app/cli/command_corpus.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/workflow/common/text_format.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/text/corpus_index.h"

namespace mog::cli {
namespace {

struct Options {
  std::string action;
  std::vector<std::filesystem::path> corpora;
  std::filesystem::path folder;
};

std::string described(const Context& context, const std::filesystem::path& corpus,
                      const std::filesystem::path& path, const io::CorpusIndex& index) {
  if (context.json) {
    const nlohmann::ordered_json json = {{"path", path.string()},
                                         {"corpus_path", corpus.string()},
                                         {"corpus_sha256", index.sha256},
                                         {"sentences", index.sentences}};
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  return fmt::format("{}: {} {}, {}\n", path.string(), app::grouped(index.sentences),
                     plural(index.sentences, "sentence"),
                     app::byte_text(static_cast<std::int64_t>(index.size_bytes)));
}

void index_corpora(Context& context, const Options& options) {
  if (options.action != "index") {
    throw unknown_choice("mog corpus", options.action, {"index"});
  }
  for (const std::filesystem::path& corpus : options.corpora) {
    const io::CorpusIndex index = io::make_corpus_index(corpus, io::kSentencesPerMark, context.stop());
    const std::filesystem::path path = io::index_path(corpus, options.folder);
    io::write_corpus_index(path, index);
    context.print(described(context, corpus, path, index));
  }
}

}  // namespace

void add_corpus(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command =
      app.add_subcommand("corpus", "Make the index by which tasks read their parts of a corpus");
  command->add_option("ACTION", options->action, "index")->required();
  command->add_option("FILE", options->corpora, "Text, one sentence a line, or .conllu; one after another")
      ->required();
  command->add_option("--index", options->folder,
                      "Folder of the index; by default that of the corpus, where it is FILE.mogindex");
  context.add_common_options(*command);
  command->footer(
      examples({"mog corpus index corpus.txt", "mog corpus index text.de text.en --index /scratch"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { index_corpora(context, *options); }; });
}

}  // namespace mog::cli
