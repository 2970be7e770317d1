// [data] with its parts.
#include <algorithm>

#include "app/workflow/experiment/train_config_parts.h"

namespace mog::app {

namespace {

// "file", { file = "…", share = 0.5 }, or an array of both.
void read_text_files(TomlTable& table, std::vector<TextFile>& files, const std::filesystem::path& file) {
  const toml::node* found = table.find("text");
  if (found == nullptr) {
    return;
  }
  const auto add = [&](const toml::node& node) {
    TextFile text;
    if (node.is_string()) {
      text.file = **node.as_string();
    } else if (node.is_table()) {
      TomlTable item(*node.as_table(), table.full("text"), file);
      std::string name;
      item.require("file");
      item.read("file", name);
      item.read("share", text.share, 1e-6, 1.0);
      item.finish();
      text.file = name;
    } else {
      table.fail(node, "text", "a file, { file = \"...\", share = 0.5 }, or an array of these");
    }
    files.push_back(text);
  };
  if (const toml::array* array = found->as_array()) {
    std::for_each(array->begin(), array->end(), add);
  } else {
    add(*found);
  }
}

DataSplit read_split(TomlTable& data, std::string_view name, const std::filesystem::path& file) {
  DataSplit split;
  const toml::table* found = data.table(name);
  if (found == nullptr) {
    return split;
  }
  TomlTable table(*found, data.full(name), file);
  const auto paths = [&](std::string_view key, std::vector<std::filesystem::path>& out) {
    std::vector<std::string> values;
    table.read(key, values);
    out.assign(values.begin(), values.end());
  };
  paths("conllu", split.conllu);
  paths("iob2", split.iob2);
  paths("source", split.source);
  paths("target", split.target);
  paths("coref", split.coref);
  read_text_files(table, split.text, file);
  table.finish();
  return split;
}

}  // namespace

void read_data(TomlTable& root, TrainConfig& config) {
  root.require("data");
  TomlTable table(*root.table("data"), "data", config.file);
  std::string data_root;
  table.read("root", data_root);
  config.data_root = data_root;
  table.require("train");
  table.require("dev");
  config.train = read_split(table, "train", config.file);
  config.dev = read_split(table, "dev", config.file);
  config.test = read_split(table, "test", config.file);
  if (const toml::array* sources = table.tables("source")) {
    for (const toml::node& node : *sources) {
      TomlTable source(*node.as_table(), "data.source", config.file);
      DataSource item;
      source.require("name");
      source.require("licence");
      source.read("name", item.name);
      source.read("licence", item.licence);
      source.read("attribution", item.attribution);
      source.read("url", item.url);
      source.finish();
      config.sources.push_back(item);
    }
  }
  table.finish();
}

}  // namespace mog::app
