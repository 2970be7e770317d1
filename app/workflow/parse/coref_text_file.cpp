#include "app/workflow/parse/coref_text_file.h"

#include <algorithm>
#include <string>

#include "io/recording/errors.h"
#include "io/text/corpus.h"

namespace mog::app {
namespace {

// What may stand in the brackets of "#begin document (name)", and in a column.
std::string document_name(const std::filesystem::path& file) {
  std::string name = file == "-" ? "input" : file.stem().string();
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char letter) { return letter <= ' ' || letter == '(' || letter == ')' || letter == ';'; },
      '_');
  return name;
}

}  // namespace

io::CorefDocument read_plain_document(const std::filesystem::path& file, const model::Tokenizer& tokenizer) {
  io::CorefDocument document;
  document.name = document_name(file);
  document.line = 1;
  document.before = "#begin document (" + document.name + "); part 000\n";
  io::CorpusReader lines(file);
  io::CorpusLine line;
  while (lines.next(line)) {
    const Sentence sentence = tokenizer.encode(line.text, line.number);
    if (sentence.words.empty()) {
      continue;
    }
    document.sentences.push_back(static_cast<std::int64_t>(document.tokens.size()));
    for (std::size_t word = 0; word < sentence.words.size(); ++word) {
      io::CorefToken token;
      token.form = sentence.words[word].text;
      std::replace_if(
          token.form.begin(), token.form.end(), [](unsigned char letter) { return letter <= ' '; }, '_');
      token.columns = document.name + "\t0\t" + std::to_string(word) + "\t" + token.form + "\t";
      token.cell = "-";
      token.after = word + 1 == sentence.words.size() ? "\n\n" : "\n";
      token.line = line.number;
      document.tokens.push_back(std::move(token));
    }
  }
  if (document.tokens.empty()) {
    throw UsageError("Resolving coreference in " + file.string() + ": the file has no sentence.");
  }
  document.tokens.back().after = "\n\n#end document\n";
  return document;
}

}  // namespace mog::app
