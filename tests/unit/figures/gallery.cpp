// figure_gallery FOLDER [NAME…]: every kind of figure as SVG, PDF and PNG, to be looked at.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <set>
#include <string>

#include "app/figures/export/export.h"
#include "tests/unit/figures/examples.h"

int main(int argc, char** argv) {
  namespace figures = mog::figures;
  if (argc < 2) {
    std::fputs("figure_gallery FOLDER [NAME…]\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    const std::set<std::string> wanted(argv + 2, argv + argc);
    const figures::HeadlessApplication application;
    for (const auto& [name, figure] : mog::test::example_figures()) {
      if (!wanted.empty() && wanted.count(name) == 0) {
        continue;
      }
      figures::ExportOptions page{.style = figures::Style::of(figures::Paper::page)};
      figures::save_figure(figure, folder / (name + ".svg"), page);
      figures::save_figure(figure, folder / (name + ".pdf"), page);
      page.png_scale = 2;
      figures::save_figure(figure, folder / (name + ".png"), page);
      page.png_scale = 1;
      figures::save_figure(figure, folder / (name + "_1x.png"), page);
      page.style.theme = figures::Theme::dark;
      page.png_scale = 2;
      figures::save_figure(figure, folder / (name + "_dark.png"), page);
      figures::ExportOptions column{.style = figures::Style::of(figures::Paper::column), .png_scale = 3};
      figures::save_figure(figure, folder / (name + "_column.png"), column);
      figures::ExportOptions slide{.style = figures::Style::of(figures::Paper::slide), .png_scale = 1};
      figures::save_figure(figure, folder / (name + "_slide.png"), slide);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
