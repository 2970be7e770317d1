// The how-to pages of docs/how-to as data: a question, and the commands that answer it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mog::cli {

struct HowTo {
  struct Step {
    std::string heading;  // what stands over the command; empty: as the step before
    std::string command;  // a line for a shell; a file that the page shows comes as a here-document
  };
  std::string name;      // of the page, without ".md"
  std::string question;  // its title
  std::vector<Step> steps;
};

// Of a page in Markdown: the lines "$ …" of its blocks, and files (a block behind `<!-- file: NAME -->`).
HowTo how_to_of(std::string_view name, std::string_view page);

// All pages, in the order of docs/how-to/index.md; put into the program when it was built.
std::vector<HowTo> all_how_tos();

// Name and text of every page; made by pages.cmake.
std::span<const std::pair<std::string_view, std::string_view>> how_to_pages();

}  // namespace mog::cli
