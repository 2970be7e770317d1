# The how-to pages as a source of the program: cmake -DPAGES=docs/how-to -DOUTPUT=how_to_pages.cpp -P pages.cmake
# Their order is that of the links in index.md.
file(READ "${PAGES}/index.md" index)
string(REGEX MATCHALL "\\([a-z0-9-]+\\.md\\)" links "${index}")
list(REMOVE_DUPLICATES links)
set(rows "")
foreach(link IN LISTS links)
  string(REGEX REPLACE "^\\((.*)\\.md\\)$" "\\1" name "${link}")
  file(READ "${PAGES}/${name}.md" page)
  string(APPEND rows "    {\"${name}\", R\"how-to(${page})how-to\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by pages.cmake.
#include \"app/cli/manual/how_to.h\"

namespace mog::cli {

std::span<const std::pair<std::string_view, std::string_view>> how_to_pages() {
  static constexpr std::pair<std::string_view, std::string_view> kPages[] = {
${rows}  };
  return kPages;
}

}  // namespace mog::cli
")
