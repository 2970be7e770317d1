#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/context.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/common/text_format.h"
#include "io/loader/loader_process.h"
#include "model/graphics_card.h"
#include "model/model.h"

namespace mog::cli {
namespace {

nlohmann::ordered_json card_json(const model::GraphicsCard& card) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const model::CardPart& part : card.parts) {
    parts.push_back({{"name", part.name}, {"there", part.there}, {"text", part.text}});
  }
  return {{"usable", card.usable}, {"parts", std::move(parts)}};
}

// One line where nothing is there and nothing is asked for.
std::string card_text(const model::GraphicsCard& card) {
  if (std::none_of(card.parts.begin(), card.parts.begin() + 3,
                   [](const model::CardPart& part) { return part.there; })) {
    return fmt::format("GPU         {}; models run on the processor\n", card.parts.front().text);
  }
  std::string text;
  for (const model::CardPart& part : card.parts) {
    text += fmt::format("{:<12}{:<11}{}{}\n", text.empty() ? "GPU" : "", part.name,
                        part.there ? "" : "missing: ", part.text);
  }
  return text;
}

void doctor(Context& context) {
  const model::EngineReport engine = model::engine_report();
  std::string resources;
  std::string resources_error;
  try {
    resources = app::resources_dir().lexically_normal().string();
  } catch (const std::exception& error) {
    resources_error = error.what();
  }
  const model::GraphicsCard card = model::graphics_card();
  std::string sandbox_error;
  try {
    sandbox_error = io::sandbox_defect(io::loader_program());
  } catch (const std::exception& error) {
    sandbox_error = error.what();
  }
  const unsigned cores = std::thread::hardware_concurrency();
  if (context.json) {
    const nlohmann::ordered_json json = {{"version", MOG_VERSION},
                                         {"cores", cores},
                                         {"engine", engine.available},
                                         {"engine_error", engine.error},
                                         {"torch", engine.torch_version},
                                         {"blas", engine.blas},
                                         {"devices", engine.devices},
                                         {"cuda", engine.cuda},
                                         {"graphics_card", card_json(card)},
                                         {"bfloat16_is_faster", engine.bfloat16_is_faster},
                                         {"eight_bit_products", engine.eight_bit_products},
                                         {"sandbox", sandbox_error.empty()},
                                         {"sandbox_error", sandbox_error},
                                         {"resources", resources},
                                         {"resources_error", resources_error}};
    context.print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return;
  }
  std::string text = fmt::format("mog         {}\ncores       {}\n", MOG_VERSION, cores);
  if (engine.available) {
    text += fmt::format("engine      LibTorch {}\nBLAS        {}\n", engine.torch_version, engine.blas);
    text += fmt::format("devices     {}\n", app::joined(engine.devices, "\n            "));
    text += fmt::format("bfloat16    {} on this processor\n",
                        engine.bfloat16_is_faster ? "faster than float32" : "not faster than float32");
    text += fmt::format("int8        {}\n", engine.eight_bit_products
                                                ? "8-bit products are exact and fast on this processor (VNNI)"
                                                : "not on this processor, which has no VNNI");
  } else {
    text += fmt::format("engine      not available: {}\n", engine.error);
  }
  text += card_text(card);
  text += fmt::format("sandbox     {}\n", sandbox_error.empty()
                                              ? "the system calls of mog-loader are restricted"
                                              : "mog-loader is not restricted: " + sandbox_error);
  text += fmt::format("resources   {}\n", resources.empty() ? "not found: " + resources_error : resources);
  context.print(text);
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  CLI::App* const command =
      app.add_subcommand("doctor", "Say what this installation can do: engine, devices, threads, resources");
  context.add_common_options(*command);
  command->footer(examples({"mog doctor", "mog doctor --json"}));
  command->callback([&context] { context.action = [&context] { doctor(context); }; });
}

}  // namespace mog::cli
