// What to cite: the program, and the papers whose methods its commands use.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog::cli {

struct Citation {
  std::string_view key;      // "duan2021multi"
  std::string_view type;     // of BibTeX: "article", "inproceedings", "misc", "software"
  std::string_view authors;  // "Duan, Sufeng and Zhao, Hai"
  std::string_view title;
  std::string_view
      where;  // journal or proceedings, with volume and pages where they help; empty: its identifier says it
  int year = 0;
  std::string_view identifier = {};  // "arXiv:2101.06397"
  std::string_view what = {};        // what of the program it is the source of
  std::string_view commands =
      {};  // that use it, spaces around each: " trees figure "; empty: it is always cited
};

// The program first.
std::span<const Citation> citations();

// The program, what is always cited, and what `command` uses; of an empty command the former alone.
std::vector<Citation> citations_of(std::string_view command);

// "Sufeng Duan and Hai Zhao. 2021. Title. Where."
std::string as_text(const Citation& citation);
// In ASCII but for letters of names, which BibTeX (biber) reads as UTF-8.
std::string as_bibtex(const Citation& citation);

}  // namespace mog::cli
