// What may be chosen of a figure or a command, said once: name, type, default, bounds, what it means. The
// command line makes options of it, a session keeps it as text, and docs and help are printed from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mog::app {

// One choice; `take` reads its texts into what it was declared for.
struct Choice {
  std::string name;         // "layer", on the command line --layer
  std::string help;         // one line
  std::string value;        // what stands for a value in the help: "N"; empty: a flag
  std::string usual = {};   // the default as text; empty: none
  std::string former = {};  // a name that it had; still read, with a note
  char letter = 0;          // -n
  bool several = false;     // may be given more than once
  std::function<void(const std::vector<std::string>&)> take = {};
};

// Choices by name and text, in the order in which they were made; a flag that is on has no text.
using ChosenTexts = std::vector<std::pair<std::string, std::vector<std::string>>>;

// The choices of one thing, bound to the variables that hold them. Every text is checked when it is taken:
// UsageError "--layer zwei: expected a whole number".
class Choices {
 public:
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

  Choice& number(std::string name, std::int64_t& target, std::string help, std::int64_t least = 0,
                 std::int64_t most = kMost);
  Choice& real(std::string name, double& target, std::string help, double least, double most);
  Choice& real(std::string name, std::optional<double>& target, std::string help,
               double least = std::numeric_limits<double>::lowest(),
               double most = std::numeric_limits<double>::max());
  Choice& flag(std::string name, bool& target, std::string help);
  Choice& text(std::string name, std::string& target, std::string help);
  Choice& texts(std::string name, std::vector<std::string>& target, std::string help);
  Choice& path(std::string name, std::filesystem::path& target, std::string help);
  // A value that `parse` makes of its text; it throws UsageError.
  template <class Value, class Parse>
  Choice& value(std::string name, Value& target, std::string usual, std::string help, Parse parse) {
    Choice& choice = add(std::move(name), std::move(help), "TEXT");
    choice.usual = std::move(usual);
    choice.take = [&target, parse = std::move(parse)](const std::vector<std::string>& texts) {
      target = parse(texts.front());
    };
    return choice;
  }

  // A choice of something else under its own name and without effect.
  void repeat(const Choice& choice) { all_.push_back(choice); }

  std::span<const Choice> all() const noexcept { return all_; }
  // nullptr where there is none of that name.
  const Choice* find(std::string_view name) const noexcept;
  // Two that say different things of the same: "--head and --heads exclude each other".
  void exclude(std::vector<std::string> names) { excluded_.push_back(std::move(names)); }

  // Reads `chosen`. Throws UsageError, beginning with `what` ("figure tree"), for a name that is none of
  // these, for a text that does not fit and for choices that exclude each other.
  void take(const ChosenTexts& chosen, std::string_view what) const;

 private:
  Choice& add(std::string name, std::string help, std::string value);

  std::vector<Choice> all_;
  std::vector<std::vector<std::string>> excluded_;
};

}  // namespace mog::app
