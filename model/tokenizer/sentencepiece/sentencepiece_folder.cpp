// Every class of transformers numbers the pieces of its file in its own way: as they are (T5, ALBERT), after
// fairseq's four special tokens (XLM-R, mBART, NLLB; CamemBERT otherwise than these), behind 105 tokens of
// its training (Pegasus), or as a vocab.json says (Marian, M2M100).
#include "model/tokenizer/sentencepiece/sentencepiece_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/json_check.h"
#include "model/config/config_reader.h"
#include "model/tokenizer/sentencepiece/sentencepiece_file.h"
#include "model/tokenizer/sentencepiece/sentencepiece_rows.h"

namespace mog::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostConfigBytes = std::uint64_t{16} << 20U;

constexpr const char* kBart25 =
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM "
    "ne_NP nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN";
constexpr const char* kBart50 =
    "af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN mn_MN mr_IN pl_PL ps_AF pt_XX sv_SE "
    "sw_KE ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI";
constexpr const char* kM2m100 =
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr "
    "ht hu hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or "
    "pa pl ps pt ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu";

bool present(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

Json read_json(const fs::path& file, const char* what) {
  if (!present(file)) {
    return Json::object();
  }
  const std::string text = io::read_file(file, what, kMostConfigBytes);
  io::check_json(text, file.string());
  Json document = Json::parse(text);
  if (!document.is_object()) {
    throw FormatError(fmt::format("{}: expected a JSON object", file.string()));
  }
  return document;
}

// "<mask>", or {"content": "<mask>", …}.
std::string content_of(const Json& token) {
  return token.is_string() ? token.get<std::string>()
         : token.is_object() && token.contains("content") && token["content"].is_string()
             ? token["content"].get<std::string>()
             : "";
}

class FolderReader {
 public:
  FolderReader(const fs::path& folder, const fs::path& file)
      : folder_(folder),
        settings_file_(folder / "tokenizer_config.json"),
        settings_(read_json(settings_file_, "the tokenizer configuration")),
        file_(read_sentencepiece_file(file)) {}

  std::string document() {
    const std::string type = class_of();
    if (settings_.contains("sp_model_kwargs") && !settings_["sp_model_kwargs"].empty()) {
      throw ModelError(fmt::format("{}: sp_model_kwargs = {} is not supported: only whole, sure cuts are",
                                   settings_file_.string(),
                                   settings_["sp_model_kwargs"].dump().substr(0, 80)));
    }
    build(type);
    add_listed();
    for (const auto* const side : {&before_, &behind_}) {
      for (const std::string& token : *side) {
        row_of(token);
      }
    }
    return written();
  }

 private:
  struct Class {
    std::string_view name;
    std::string_view model_type;
    void (FolderReader::*build)();
  };
  static constexpr std::size_t kClasses = 13;
  static const std::array<Class, kClasses>& classes() {
    static constexpr std::array<Class, kClasses> kAll = {{
        {"T5Tokenizer", "t5", &FolderReader::t5},
        {"MT5Tokenizer", "mt5", &FolderReader::mt5},
        {"T5Tokenizer", "umt5", &FolderReader::mt5},
        {"AlbertTokenizer", "albert", &FolderReader::albert},
        {"BigBirdTokenizer", "big_bird", &FolderReader::big_bird},
        {"DebertaV2Tokenizer", "deberta-v2", &FolderReader::deberta},
        {"XLMRobertaTokenizer", "xlm-roberta", &FolderReader::xlm_roberta},
        {"CamembertTokenizer", "camembert", &FolderReader::camembert},
        {"MBartTokenizer", "mbart", &FolderReader::mbart},
        {"MBart50Tokenizer", "", &FolderReader::mbart50},
        {"NllbTokenizer", "", &FolderReader::nllb},
        {"PegasusTokenizer", "pegasus", &FolderReader::pegasus},
        {"MarianTokenizer", "marian", &FolderReader::marian},
    }};
    return kAll;
  }

  std::string model_type() const {
    const Json config = read_json(folder_ / "config.json", "the model configuration");
    return config.contains("model_type") && config["model_type"].is_string()
               ? config["model_type"].get<std::string>()
               : "";
  }
  // Without the "Fast" of the same class written in Rust.
  std::string class_of() const {
    std::string name = settings_.contains("tokenizer_class") && settings_["tokenizer_class"].is_string()
                           ? settings_["tokenizer_class"].get<std::string>()
                           : "";
    if (name.ends_with("Fast")) {
      name.resize(name.size() - 4);
    }
    return name;
  }

  void build(const std::string& name) {
    const std::string type = model_type();
    if (name == "M2M100Tokenizer" || (name.empty() && type == "m2m_100")) {
      return m2m100();
    }
    for (const Class& known : classes()) {
      const bool same_type = !type.empty() && known.model_type == type;
      // umt5 and mt5 say T5Tokenizer and have no extra ids of their own.
      if (name.empty() || (name == "T5Tokenizer" && (type == "mt5" || type == "umt5")) ? same_type
                                                                                       : known.name == name) {
        return (this->*known.build)();
      }
    }
    std::string all;
    for (const Class& known : classes()) {
      all += all.find(known.name) == std::string::npos ? std::string(known.name) + ", " : "";
    }
    throw ModelError(fmt::format(
        "{}: which tokens frame a sentence and how pieces are numbered is not known for {}; known: "
        "{}M2M100Tokenizer (tokenizer_class in tokenizer_config.json, else model_type in config.json)",
        file_.file,
        !name.empty()  ? "the tokenizer class " + name.substr(0, 80)
        : type.empty() ? std::string("a folder that names no tokenizer class")
                       : "the model type " + type.substr(0, 80),
        all));
  }

  void t5() { sentinels(100); }
  void mt5() { sentinels(0); }
  void sentinels(std::int64_t usual) {
    rows_.direct();
    rows_.keep({"<pad>", "</s>", "<unk>"});
    for (std::int64_t number = number_of("extra_ids", usual); number-- > 0;) {
      rows_.keep(rows_.find_or_add(fmt::format("<extra_id_{}>", number)));
    }
    behind_ = {"</s>"};
  }
  void albert() {
    rows_.direct();
    rows_.keep({"<pad>", "<unk>", "[CLS]", "[SEP]"});
    rows_.keep({"[MASK]"}, true);
    const auto replace = [](const char* from) {
      return Json{{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", "\""}};
    };
    normalizers_ = Json::array({replace("``"), replace("''")});
    if (!flag("keep_accents", false)) {
      normalizers_.push_back({{"type", "NFKD"}});
      normalizers_.push_back({{"type", "StripAccents"}});
    }
    if (flag("do_lower_case", true)) {
      normalizers_.push_back({{"type", "Lowercase"}});
    }
    framed("[CLS]", "[SEP]");
  }
  void big_bird() {
    rows_.direct();
    rows_.keep({"<pad>", "<unk>", "<s>", "</s>", "[CLS]", "[SEP]"});
    rows_.keep({"[MASK]"}, true);
    framed("[CLS]", "[SEP]");
  }
  void deberta() {
    rows_.direct();
    rows_.find_or_add("[MASK]");
    rows_.keep({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"});
    if (flag("do_lower_case", false)) {
      normalizers_.push_back({{"type", "Lowercase"}});
    }
    framed("[CLS]", "[SEP]");
  }
  void xlm_roberta() {
    rows_.fairseq();
    rows_.keep(rows_.find_or_add("<mask>"), true);
    framed("<s>", "</s>");
  }
  void camembert() {
    rows_.camembert();
    rows_.keep(rows_.find_or_add("<mask>"), true);
    framed("<s>", "</s>");
  }
  void mbart() {
    rows_.fairseq();
    languages(kBart25, "", "");
    rows_.keep(rows_.find_or_add("<mask>"), true);
    behind_ = {"</s>", source_language("en_XX", "", "")};
  }
  void mbart50() {
    rows_.fairseq();
    languages(std::string(kBart25) + " " + kBart50, "", "");
    rows_.keep(rows_.find_or_add("<mask>"), true);
    framed(source_language("en_XX", "", ""), "</s>");
  }
  // Its 202 languages stand in tokenizer_config.json.
  void nllb() {
    rows_.fairseq();
    const std::string language = source_language("eng_Latn", "", "");
    if (flag("legacy_behaviour", false)) {
      behind_ = {"</s>", language};
    } else {
      framed(language, "</s>");
    }
  }
  void pegasus() {
    rows_.pegasus(number_of("offset", 103));
    behind_ = {"</s>"};
  }
  void marian() {
    apart_ = fs::path(file_.file).filename() == "target.spm" && flag("separate_vocabs", false);
    rows_.by_vocabulary(folder_ / (apart_ ? "target_vocab.json" : "vocab.json"));
    const std::vector<std::string>& tokens = rows_.rows().tokens;
    for (std::size_t row = 0; row < tokens.size(); ++row) {
      if (tokens[row].starts_with(">>") && tokens[row].ends_with("<<")) {
        rows_.keep(row);  // the language to translate to
      }
    }
    behind_ = {"</s>"};
  }
  void m2m100() {
    rows_.by_vocabulary(folder_ / "vocab.json");
    languages(kM2m100, "__", "__");
    framed(source_language("en", "__", "__"), "</s>");
  }

  // ---- parts of them

  void framed(const std::string& first, const std::string& last) {
    before_ = {first};
    behind_ = {last};
  }
  void languages(const std::string& codes, const char* left, const char* right) {
    std::istringstream stream(codes);
    for (std::string code; stream >> code;) {
      rows_.keep(rows_.add(left + code + right));
    }
  }
  std::string source_language(const char* usual, const char* left, const char* right) const {
    const bool said = settings_.contains("src_lang") && settings_["src_lang"].is_string();
    return left + (said ? settings_["src_lang"].get<std::string>() : std::string(usual)) + right;
  }
  bool flag(const char* key, bool otherwise) const {
    ConfigReader reader(settings_, settings_file_.string(), "");
    return reader.has(key) && !settings_[key].is_null() ? reader.boolean(key) : otherwise;
  }

  std::int64_t number_of(const char* key, std::int64_t otherwise) const {
    constexpr std::int64_t kMost = 10'000;
    ConfigReader reader(settings_, settings_file_.string(), "");
    return reader.has(key) && !settings_[key].is_null() ? reader.integer(key, 0, kMost) : otherwise;
  }

  // added_tokens_decoder of tokenizer_config.json, else added_tokens.json and additional_special_tokens.
  void add_listed() {
    const auto listed = settings_.find("added_tokens_decoder");
    if (listed != settings_.end() && listed->is_object()) {
      std::map<std::size_t, const Json*> by_row;
      for (const auto& [row, token] : listed->items()) {
        by_row[row_number(row, settings_file_.string())] = &token;
      }
      for (const auto& [row, token] : by_row) {
        const auto has = [entry = token](const char* key) {
          return entry->is_object() && entry->contains(key) && (*entry)[key] == true;
        };
        if (const auto own = listed_row(row, content_of(*token), settings_file_)) {
          rows_.keep(*own, {has("lstrip"), has("rstrip"), has("single_word")});
        }
      }
      return;
    }
    const fs::path file = folder_ / "added_tokens.json";
    const Json added = read_json(file, "the added tokens");
    std::map<std::size_t, std::string> by_row;
    for (const auto& [token, row] : added.items()) {
      by_row[row_number(row.dump(), file.string())] = token;
    }
    for (const auto& [row, token] : by_row) {
      if (const auto own = listed_row(row, token, file)) {
        rows_.keep(*own);
      }
    }
    const auto more = settings_.find("additional_special_tokens");
    if (more != settings_.end() && more->is_array()) {
      for (const Json& token : *more) {
        if (const std::string content = content_of(token); !content.empty()) {
          rows_.keep(rows_.find_or_add(content));
        }
      }
    }
  }
  // Rows of listed tokens are those of vocab.json: a target vocabulary of its own has them elsewhere, or not.
  std::optional<std::size_t> listed_row(std::size_t row, const std::string& token, const fs::path& file) {
    if (apart_) {
      return rows_.find(token);
    }
    rows_.place(row, token, file.string());
    return row;
  }
  static std::size_t row_number(const std::string& text, const std::string& file) {
    std::size_t row = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
    if (error != std::errc() || end != text.data() + text.size() || row >= std::size_t{1} << 24U) {
      throw FormatError(fmt::format("{}: added tokens: expected an id, found {}", file, text.substr(0, 80)));
    }
    return row;
  }

  std::size_t row_of(const std::string& token) const {
    const auto found = rows_.find(token);
    if (!found) {
      throw FormatError(
          fmt::format("{}: the token {}, which frames a sentence, is in none of the files of {}; "
                      "languages stand in added_tokens_decoder of tokenizer_config.json",
                      file_.file, token, folder_.string()));
    }
    return *found;
  }

  std::string written() const {
    Json added = Json::array();
    for (const auto& [row, whole] : rows_.kept()) {
      added.push_back({{"id", row},
                       {"content", rows_.rows().tokens[row]},
                       {"single_word", whole.single_word},
                       {"lstrip", whole.lstrip},
                       {"rstrip", whole.rstrip},
                       {"normalized", false},
                       {"special", true}});
    }
    Json single = Json::array();
    Json special = Json::object();
    const auto frame = [&](const std::vector<std::string>& tokens) {
      for (const std::string& token : tokens) {
        single.push_back({{"SpecialToken", {{"id", token}, {"type_id", 0}}}});
        special[token] = {{"id", token}, {"ids", {row_of(token)}}, {"tokens", {token}}};
      }
    };
    frame(before_);
    single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
    frame(behind_);
    const Json post = {
        {"type", "TemplateProcessing"}, {"single", single}, {"pair", single}, {"special_tokens", special}};
    return fmt::format(
        R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":{},"pre_tokenizer":null,)"
        R"("post_processor":{},"decoder":null,{}}}
)",
        added.dump(), post.dump(), sentencepiece_members(file_, rows_.rows(), normalizers_));
  }

  fs::path folder_;
  fs::path settings_file_;
  Json settings_;
  SentencePieceFile file_;
  SentencePieceNumbering rows_{file_};
  std::vector<std::string> before_;
  std::vector<std::string> behind_;
  Json normalizers_ = Json::array();
  bool apart_ = false;  // of the target, with a vocabulary of its own
};

}  // namespace

std::optional<fs::path> sentencepiece_in(const fs::path& folder) {
  for (const char* const name :
       {"source.spm", "spiece.model", "sentencepiece.bpe.model", "spm.model", "tokenizer.model"}) {
    if (present(folder / name)) {
      return folder / name;
    }
  }
  return std::nullopt;
}

std::string sentencepiece_folder_document(const fs::path& folder, const fs::path& file) {
  return FolderReader(folder, file).document();
}

}  // namespace mog::model
