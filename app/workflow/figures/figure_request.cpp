#include "app/workflow/figures/figure_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "analysis/statistics/table.h"
#include "app/workflow/figures/figure.h"

namespace mog::app {
namespace {

auto place_of(const FigureRequest& request, std::string_view name) {
  return std::find_if(request.choices.begin(), request.choices.end(),
                      [&](const auto& chosen) { return chosen.first == name; });
}

}  // namespace

FigureRequest& FigureRequest::set(std::string_view name, std::string value) {
  std::erase_if(choices, [&](const auto& chosen) { return chosen.first == name; });
  if (!value.empty()) {
    choices.push_back({std::string(name), {std::move(value)}});
  }
  return *this;
}

FigureRequest& FigureRequest::set(std::string_view name, std::int64_t number) {
  return set(name, number == 0 ? std::string() : fmt::format("{}", number));
}

FigureRequest& FigureRequest::set(std::string_view name, const std::optional<double>& number) {
  return set(name, number ? analysis::shortest(*number) : std::string());
}

FigureRequest& FigureRequest::set(std::string_view name, Part part) {
  return set(name, part == Part::none ? std::string() : std::string(mog::name(part)));
}

FigureRequest& FigureRequest::set(std::string_view name, const std::vector<std::int64_t>& numbers) {
  return set(name, fmt::format("{}", fmt::join(numbers, ",")));
}

FigureRequest& FigureRequest::flag(std::string_view name, bool on) {
  set(name, std::string());
  if (on) {
    choices.push_back({std::string(name), {}});
  }
  return *this;
}

std::string FigureRequest::text_of(std::string_view name) const {
  const auto at = place_of(*this, name);
  return at == choices.end() || at->second.empty() ? std::string() : at->second.front();
}

std::int64_t FigureRequest::number_of(std::string_view name) const {
  std::int64_t number = 0;
  const std::string value = text_of(name);
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

std::optional<double> FigureRequest::real_of(std::string_view name) const {
  const std::string value = text_of(name);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return value.empty() || error != std::errc() ? std::nullopt : std::optional(number);
}

bool FigureRequest::has(std::string_view name) const {
  return place_of(*this, name) != choices.end();
}

std::vector<std::string> figure_arguments(const FigureRequest& request) {
  const std::unique_ptr<Figure> figure = find_figure_kind(request.kind).create();
  Choices choices;
  figure->declare(choices);
  std::vector<std::string> line = {"mog", "figure", request.kind};
  for (const std::filesystem::path& input : request.inputs) {
    line.push_back(input.string());
  }
  if (request.text) {
    line.insert(line.end(), {"--text", request.text->text});
    if (request.text->words != model::WordCut::automatic) {
      line.insert(line.end(), {"--words", std::string(model::name(request.text->words))});
    }
  }
  static const FigureRequest plain;
  if (request.seed != plain.seed) {
    line.insert(line.end(), {"--seed", fmt::format("{}", request.seed)});
  }
  for (const Choice& choice : choices.all()) {  // in the order of the help
    const auto at = place_of(request, choice.name);
    if (at == request.choices.end() || (request.text && choice.name == "sentence")) {
      continue;
    }
    if (at->second.empty()) {
      line.push_back("--" + choice.name);
    }
    for (const std::string& text : at->second) {
      if (text != choice.usual) {
        line.insert(line.end(), {"--" + choice.name, text});
      }
    }
  }
  return line;
}

}  // namespace mog::app
