// The maps that ensembles are made of, and trees with numbers in place of relations and tags.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ensembles/head_ensembles.h"
#include "app/workflow/syntax/syntax_trees.h"

namespace mog::app {

// "nsubj:pass" -> "nsubj"
std::string universal_relation(std::string_view deprel);

// Every map of the sources of a recording.
class UnitMapsMaker {
 public:
  // Throws UsageError: a source that has no maps, or the recording has none.
  UnitMapsMaker(const RecordingSource& source, SyntaxOptions options);
  const std::vector<std::string>& names() const noexcept { return names_; }
  const SyntaxOptions& options() const noexcept { return options_; }  // those that are possible
  const std::string& grammar() const noexcept { return result_.grammar; }
  const std::vector<std::string>& notes() const noexcept { return result_.notes; }
  const std::vector<QuantityName>& quantities() const noexcept { return trees_.maps(); }
  // `sentence` has the gold words. Throws as SentenceTreesMaker::find.
  analysis::UnitMaps maps(const RecordingSource& source, std::int64_t index, const Sentence& sentence,
                          const GoldSentence& gold, const analysis::SearchControl& control) const;

 private:
  SyntaxResult result_;
  SyntaxOptions options_;
  SentenceTreesMaker trees_;
  std::vector<std::string> names_;
};

// Numbers of relations or tags, in the order of their text.
class NumberedNames {
 public:
  NumberedNames() = default;
  explicit NumberedNames(std::vector<std::string> names);
  std::int32_t number(const std::string& name) const;  // -1: there is no such name
 private:
  std::map<std::string, std::int32_t> numbers_;
};

}  // namespace mog::app
