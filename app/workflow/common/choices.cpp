#include "app/workflow/common/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/recording/errors.h"

namespace mog::app {
namespace {

// All of a text as a number of this type.
template <class Number>
std::optional<Number> whole(const std::string& text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    return std::nullopt;
  }
  return value;
}

double real_of(const std::string& name, const std::string& text) {
  const std::optional<double> value = whole<double>(text);
  if (!value || !std::isfinite(*value)) {
    throw UsageError(fmt::format("--{} {}: expected a number", name, text));
  }
  return *value;
}

}  // namespace

Choice& Choices::add(std::string name, std::string help, std::string value) {
  return all_.emplace_back(
      Choice{.name = std::move(name), .help = std::move(help), .value = std::move(value)});
}

Choice& Choices::number(std::string name, std::int64_t& target, std::string help, std::int64_t least,
                        std::int64_t most) {
  Choice& choice = add(name, std::move(help), "N");
  if (target != 0) {
    choice.usual = fmt::format("{}", target);
  }
  choice.take = [&target, name = std::move(name), least, most](const std::vector<std::string>& texts) {
    const std::optional<std::int64_t> value = whole<std::int64_t>(texts.front());
    if (!value || *value < least || *value > most) {
      throw UsageError(
          most == kMost ? fmt::format("--{} {}: expected a whole number from {}", name, texts.front(), least)
                        : fmt::format("--{} {}: expected a whole number from {} to {}", name, texts.front(),
                                      least, most));
    }
    target = *value;
  };
  return choice;
}

Choice& Choices::real(std::string name, double& target, std::string help, double least, double most) {
  Choice& choice = add(name, std::move(help), "NUMBER");
  choice.usual = fmt::format("{}", target);
  choice.take = [&target, name = std::move(name), least, most](const std::vector<std::string>& texts) {
    const double value = real_of(name, texts.front());
    if (value < least || value > most) {
      throw UsageError(
          fmt::format("--{} {}: expected a number from {} to {}", name, texts.front(), least, most));
    }
    target = value;
  };
  return choice;
}

Choice& Choices::real(std::string name, std::optional<double>& target, std::string help, double least,
                      double most) {
  Choice& choice = add(name, std::move(help), "NUMBER");
  choice.take = [&target, name = std::move(name), least, most](const std::vector<std::string>& texts) {
    const double value = real_of(name, texts.front());
    if (value < least || value > most) {
      throw UsageError(
          fmt::format("--{} {}: expected a number from {} to {}", name, texts.front(), least, most));
    }
    target = value;
  };
  return choice;
}

Choice& Choices::flag(std::string name, bool& target, std::string help) {
  Choice& choice = add(std::move(name), std::move(help), "");
  choice.take = [&target](const std::vector<std::string>&) { target = true; };
  return choice;
}

Choice& Choices::text(std::string name, std::string& target, std::string help) {
  Choice& choice = add(std::move(name), std::move(help), "TEXT");
  choice.usual = target;
  choice.take = [&target](const std::vector<std::string>& texts) { target = texts.front(); };
  return choice;
}

Choice& Choices::texts(std::string name, std::vector<std::string>& target, std::string help) {
  Choice& choice = add(std::move(name), std::move(help), "TEXT");
  choice.several = true;
  choice.take = [&target](const std::vector<std::string>& texts) { target = texts; };
  return choice;
}

Choice& Choices::path(std::string name, std::filesystem::path& target, std::string help) {
  Choice& choice = add(std::move(name), std::move(help), "FILE");
  choice.take = [&target](const std::vector<std::string>& texts) { target = texts.front(); };
  return choice;
}

const Choice* Choices::find(std::string_view name) const noexcept {
  const auto at = std::find_if(all_.begin(), all_.end(), [&](const Choice& one) { return one.name == name; });
  return at == all_.end() ? nullptr : &*at;
}

void Choices::take(const ChosenTexts& chosen, std::string_view what) const {
  std::vector<std::string> taken;
  for (const auto& [name, texts] : chosen) {
    const Choice* const choice = find(name);
    if (choice == nullptr) {
      throw UsageError(fmt::format("{}: it has no choice --{}", what, name));
    }
    if (std::find(taken.begin(), taken.end(), name) != taken.end() ||
        (texts.size() > 1 && !choice->several)) {
      throw UsageError(fmt::format("{}: --{} was given twice", what, name));
    }
    if (texts.empty() != choice->value.empty()) {
      throw UsageError(texts.empty() ? fmt::format("{}: --{}: a value is missing", what, name)
                                     : fmt::format("{}: --{} takes no value", what, name));
    }
    try {
      choice->take(texts);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", what, error.what()));
    }
    taken.push_back(name);
  }
  for (const std::vector<std::string>& names : excluded_) {
    if (std::count_if(names.begin(), names.end(), [&](const std::string& name) {
          return std::find(taken.begin(), taken.end(), name) != taken.end();
        }) > 1) {
      std::string list;
      for (std::size_t i = 0; i < names.size(); ++i) {
        list += (i == 0 ? "--" : i + 1 == names.size() ? " and --" : ", --") + names[i];
      }
      throw UsageError(fmt::format("{}: {} exclude each other", what, list));
    }
  }
}

}  // namespace mog::app
