#include "app/cli/manual/citations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace mog::cli {
namespace {

constexpr auto kCitations = std::to_array<Citation>({
    {.key = "mogworkbench",
     .type = "software",
     .authors = "{The MoG Workbench developers}",
     .title = "MoG Workbench",
     .where = "Version " MOG_VERSION,
     .year = 2026,
     .what = "the program"},
    {.key = "duan2021multi",
     .type = "misc",
     .authors = "Duan, Sufeng and Zhao, Hai",
     .title = "To Understand Representation of Layer-aware Sequence Encoders as Multi-order-graph",
     .where = "",
     .year = 2021,
     .identifier = "arXiv:2101.06397",
     .what = "multi-order graphs, the Graph-Transformer and its gates"},
    {.key = "duan2020graph",
     .type = "misc",
     .authors = "Duan, Sufeng and Zhao, Hai and Wang, Rui",
     .title = "Graph-to-Sequence Neural Machine Translation",
     .where = "",
     .year = 2020,
     .identifier = "arXiv:2009.07489",
     .what = "weight of subgraphs by layer and sentence length",
     .commands = " stats train translate "},
    {.key = "huang2005better",
     .type = "inproceedings",
     .authors = "Huang, Liang and Chiang, David",
     .title = "Better k-best Parsing",
     .where = "Proceedings of the Ninth International Workshop on Parsing Technology",
     .year = 2005,
     .what = "the k best graphs",
     .commands = " trees demo "},
    {.key = "edmonds1967optimum",
     .type = "article",
     .authors = "Edmonds, Jack",
     .title = "Optimum Branchings",
     .where = "Journal of Research of the National Bureau of Standards 71B(4)",
     .year = 1967,
     .what = "maximum spanning trees",
     .commands = " syntax parse "},
    {.key = "eisner1996three",
     .type = "inproceedings",
     .authors = "Eisner, Jason M.",
     .title = "Three New Probabilistic Models for Dependency Parsing: An Exploration",
     .where = "COLING 1996",
     .year = 1996,
     .what = "projective trees (--projective)",
     .commands = " syntax parse "},
    {.key = "limisiewicz2020universal",
     .type = "inproceedings",
     .authors = "Limisiewicz, Tomasz and Mareček, David and Rosa, Rudolf",
     .title = "Universal Dependencies According to BERT: Both More Specific and More General",
     .where = "Findings of the Association for Computational Linguistics: EMNLP 2020",
     .year = 2020,
     .what = "head ensembles (--learn)",
     .commands = " syntax "},
    {.key = "abnar2020quantifying",
     .type = "inproceedings",
     .authors = "Abnar, Samira and Zuidema, Willem",
     .title = "Quantifying Attention Flow in Transformers",
     .where = "Proceedings of ACL 2020",
     .year = 2020,
     .what = "rollout and flow",
     .commands = " record faithfulness figure "},
    {.key = "kobayashi2020attention",
     .type = "inproceedings",
     .authors = "Kobayashi, Goro and Kuribayashi, Tatsuki and Yokoi, Sho and Inui, Kentaro",
     .title = "Attention is Not Only a Weight: Analyzing Transformers with Vector Norms",
     .where = "Proceedings of EMNLP 2020",
     .year = 2020,
     .what = "norms of weighted values",
     .commands = " record figure "},
    {.key = "kobayashi2021incorporating",
     .type = "inproceedings",
     .authors = "Kobayashi, Goro and Kuribayashi, Tatsuki and Yokoi, Sho and Inui, Kentaro",
     .title = "Incorporating Residual and Normalization Layers into Analysis of Masked Language Models",
     .where = "Proceedings of EMNLP 2021",
     .year = 2021,
     .what = "N-ResLN (norm)",
     .commands = " record faithfulness figure "},
    {.key = "modarressi2022globenc",
     .type = "inproceedings",
     .authors = "Modarressi, Ali and Fayyaz, Mohsen and Yaghoobzadeh, Yadollah and Pilehvar, Mohammad Taher",
     .title = "GlobEnc: Quantifying Global Token Attribution by Incorporating the Whole Encoder Layer in "
              "Transformers",
     .where = "Proceedings of NAACL 2022",
     .year = 2022,
     .what = "globenc",
     .commands = " record faithfulness figure "},
    {.key = "modarressi2023decompx",
     .type = "inproceedings",
     .authors =
         "Modarressi, Ali and Fayyaz, Mohsen and Aghazadeh, Ehsan and Yaghoobzadeh, Yadollah and Pilehvar, "
         "Mohammad Taher",
     .title = "DecompX: Explaining Transformers Decisions by Propagating Token Decomposition",
     .where = "Proceedings of ACL 2023",
     .year = 2023,
     .what = "propagation",
     .commands = " record faithfulness figure "},
    {.key = "ferrando2022measuring",
     .type = "inproceedings",
     .authors = "Ferrando, Javier and Gállego, Gerard I. and Costa-jussà, Marta R.",
     .title = "Measuring the Mixing of Contextual Information in the Transformer",
     .where = "Proceedings of EMNLP 2022",
     .year = 2022,
     .what = "ALTI",
     .commands = " record faithfulness figure "},
    {.key = "ferrando2022towards",
     .type = "inproceedings",
     .authors =
         "Ferrando, Javier and Gállego, Gerard I. and Alastruey, Belen and Escolano, Carlos and Costa-jussà, "
         "Marta R.",
     .title =
         "Towards Opening the Black Box of Neural Machine Translation: Source and Target Interpretations of "
         "the Transformer",
     .where = "Proceedings of EMNLP 2022",
     .year = 2022,
     .what = "ALTI+ of translators",
     .commands = " align record faithfulness "},
    {.key = "deyoung2020eraser",
     .type = "inproceedings",
     .authors =
         "DeYoung, Jay and Jain, Sarthak and Rajani, Nazneen Fatema and Lehman, Eric and Xiong, Caiming and "
         "Socher, Richard and Wallace, Byron C.",
     .title = "ERASER: A Benchmark to Evaluate Rationalized NLP Models",
     .where = "Proceedings of ACL 2020",
     .year = 2020,
     .what = "comprehensiveness and sufficiency",
     .commands = " faithfulness "},
    {.key = "sundararajan2017axiomatic",
     .type = "inproceedings",
     .authors = "Sundararajan, Mukund and Taly, Ankur and Yan, Qiqi",
     .title = "Axiomatic Attribution for Deep Networks",
     .where = "Proceedings of ICML 2017",
     .year = 2017,
     .what = "integrated gradients",
     .commands = " faithfulness "},
    {.key = "vig2020investigating",
     .type = "inproceedings",
     .authors =
         "Vig, Jesse and Gehrmann, Sebastian and Belinkov, Yonatan and Qian, Sharon and Nevo, Daniel and "
         "Singer, Yaron and Shieber, Stuart",
     .title = "Investigating Gender Bias in Language Models Using Causal Mediation Analysis",
     .where = "Advances in Neural Information Processing Systems 33",
     .year = 2020,
     .what = "activations of one text in the run of another",
     .commands = " patch "},
    {.key = "meng2022locating",
     .type = "inproceedings",
     .authors = "Meng, Kevin and Bau, David and Andonian, Alex and Belinkov, Yonatan",
     .title = "Locating and Editing Factual Associations in GPT",
     .where = "Advances in Neural Information Processing Systems 35",
     .year = 2022,
     .what = "restoring states by layer and token",
     .commands = " patch "},
    {.key = "syed2023attribution",
     .type = "misc",
     .authors = "Syed, Aaquib and Rager, Can and Conmy, Arthur",
     .title = "Attribution Patching Outperforms Automated Circuit Discovery",
     .where = "",
     .year = 2023,
     .identifier = "arXiv:2310.10348",
     .what = "the estimate by gradients (--method gradient)",
     .commands = " patch "},
    {.key = "elhage2021mathematical",
     .type = "article",
     .authors =
         "Elhage, Nelson and Nanda, Neel and Olsson, Catherine and Henighan, Tom and Joseph, Nicholas and "
         "Mann, Ben and Askell, Amanda and Bai, Yuntao and Chen, Anna and Conerly, Tom and others",
     .title = "A Mathematical Framework for Transformer Circuits",
     .where = "Transformer Circuits Thread",
     .year = 2021,
     .what = "what heads add to logits",
     .commands = " attribute "},
    {.key = "dozat2017deep",
     .type = "inproceedings",
     .authors = "Dozat, Timothy and Manning, Christopher D.",
     .title = "Deep Biaffine Attention for Neural Dependency Parsing",
     .where = "ICLR 2017",
     .year = 2017,
     .what = "scores of arcs and labels",
     .commands = " parse train "},
    {.key = "mohammadshahi2020graph",
     .type = "inproceedings",
     .authors = "Mohammadshahi, Alireza and Henderson, James",
     .title = "Graph-to-Graph Transformer for Transition-based Dependency Parsing",
     .where = "Findings of the Association for Computational Linguistics: EMNLP 2020",
     .year = 2020,
     .what = "attention that reads a graph; parsers that read their arcs",
     .commands = " parse train coref "},
    {.key = "mohammadshahi2021recursive",
     .type = "article",
     .authors = "Mohammadshahi, Alireza and Henderson, James",
     .title = "Recursive Non-Autoregressive Graph-to-Graph Transformer for Dependency Parsing with Iterative "
              "Refinement",
     .where = "Transactions of the Association for Computational Linguistics 9",
     .year = 2021,
     .what = "refining a predicted graph",
     .commands = " parse train coref "},
    {.key = "weng2020gret",
     .type = "inproceedings",
     .authors =
         "Weng, Rongxiang and Wei, Haoran and Huang, Shujian and Yu, Heng and Bing, Lidong and Luo, Weihua "
         "and Chen, Jiajun",
     .title = "GRET: Global Representation Enhanced Transformer",
     .where = "Proceedings of AAAI 2020",
     .year = 2020,
     .what = "global representation (section gret)",
     .commands = " train translate "},
    {.key = "sennrich2016neural",
     .type = "inproceedings",
     .authors = "Sennrich, Rico and Haddow, Barry and Birch, Alexandra",
     .title = "Neural Machine Translation of Rare Words with Subword Units",
     .where = "Proceedings of ACL 2016",
     .year = 2016,
     .what = "byte-pair encoding",
     .commands = " tokenize train "},
    {.key = "papineni2002bleu",
     .type = "inproceedings",
     .authors = "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
     .title = "Bleu: a Method for Automatic Evaluation of Machine Translation",
     .where = "Proceedings of ACL 2002",
     .year = 2002,
     .what = "BLEU",
     .commands = " evaluate "},
    {.key = "post2018call",
     .type = "inproceedings",
     .authors = "Post, Matt",
     .title = "A Call for Clarity in Reporting BLEU Scores",
     .where = "Proceedings of WMT 2018",
     .year = 2018,
     .what = "sacreBLEU, whose scores these are",
     .commands = " evaluate "},
    {.key = "popovic2015chrf",
     .type = "inproceedings",
     .authors = "Popović, Maja",
     .title = "chrF: character n-gram F-score for automatic MT evaluation",
     .where = "Proceedings of WMT 2015",
     .year = 2015,
     .what = "chrF",
     .commands = " evaluate "},
    {.key = "lin2004rouge",
     .type = "inproceedings",
     .authors = "Lin, Chin-Yew",
     .title = "ROUGE: A Package for Automatic Evaluation of Summaries",
     .where = "Text Summarization Branches Out",
     .year = 2004,
     .what = "ROUGE",
     .commands = " evaluate "},
    {.key = "koehn2004statistical",
     .type = "inproceedings",
     .authors = "Koehn, Philipp",
     .title = "Statistical Significance Tests for Machine Translation Evaluation",
     .where = "Proceedings of EMNLP 2004",
     .year = 2004,
     .what = "paired bootstrap resampling",
     .commands = " evaluate "},
    {.key = "zeman2018conll",
     .type = "inproceedings",
     .authors =
         "Zeman, Daniel and Hajič, Jan and Popel, Martin and Potthast, Martin and Straka, Milan and Ginter, "
         "Filip and Nivre, Joakim and Petrov, Slav",
     .title = "CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal Dependencies",
     .where = "Proceedings of the CoNLL 2018 Shared Task",
     .year = 2018,
     .what = "scores of parses",
     .commands = " evaluate "},
    {.key = "pradhan2014scoring",
     .type = "inproceedings",
     .authors = "Pradhan, Sameer and Luo, Xiaoqiang and Recasens, Marta and Hovy, Eduard and Ng, Vincent and "
                "Strube, Michael",
     .title = "Scoring Coreference Partitions of Predicted Mentions: A Reference Implementation",
     .where = "Proceedings of ACL 2014",
     .year = 2014,
     .what = "MUC, B3, CEAF, BLANC",
     .commands = " evaluate "},
    {.key = "moosavi2016coreference",
     .type = "inproceedings",
     .authors = "Moosavi, Nafise Sadat and Strube, Michael",
     .title =
         "Which Coreference Evaluation Metric Do You Trust? A Proposal for a Link-based Entity Aware Metric",
     .where = "Proceedings of ACL 2016",
     .year = 2016,
     .what = "LEA",
     .commands = " evaluate "},
});

std::vector<std::string_view> authors_of(std::string_view all) {
  constexpr std::string_view kAnd = " and ";
  std::vector<std::string_view> found;
  for (std::size_t at = all.find(kAnd); at != std::string_view::npos; at = all.find(kAnd)) {
    found.push_back(all.substr(0, at));
    all.remove_prefix(at + kAnd.size());
  }
  found.push_back(all);
  return found;
}

// "Duan, Sufeng" as "Sufeng Duan"; what stands in braces is no person.
std::string as_spoken(std::string_view author) {
  if (author.starts_with("{")) {
    return std::string(author.substr(1, author.size() - 2));
  }
  const std::size_t comma = author.find(", ");
  return comma == std::string_view::npos
             ? std::string(author)
             : fmt::format("{} {}", author.substr(comma + 2), author.substr(0, comma));
}

}  // namespace

std::span<const Citation> citations() {
  return kCitations;
}

std::vector<Citation> citations_of(std::string_view command) {
  std::vector<Citation> found;
  std::copy_if(kCitations.begin(), kCitations.end(), std::back_inserter(found), [&](const Citation& one) {
    return one.commands.empty() ||
           (!command.empty() && one.commands.find(fmt::format(" {} ", command)) != std::string_view::npos);
  });
  return found;
}

std::string as_text(const Citation& citation) {
  std::vector<std::string> names;
  for (const std::string_view author : authors_of(citation.authors)) {
    names.push_back(as_spoken(author));
  }
  std::string authors = names.front();
  for (std::size_t at = 1; at < names.size(); ++at) {
    authors += at + 1 < names.size() ? ", " : names.size() > 2 ? ", and " : " and ";
    authors += names[at];
  }
  if (!authors.ends_with('.')) {
    authors += '.';
  }
  const std::string_view place = citation.where.empty() ? citation.identifier : citation.where;
  const std::string_view end = citation.title.ends_with('?') ? "" : ".";
  return fmt::format("{} {}. {}{} {}.", authors, citation.year, citation.title, end, place);
}

std::string as_bibtex(const Citation& citation) {
  std::string text =
      fmt::format("@{}{{{},\n  author = {{{}}},\n  title = {{{{{}}}}},\n  year = {{{}}}", citation.type,
                  citation.key, citation.authors, citation.title, citation.year);
  if (!citation.where.empty()) {
    const std::string_view field = citation.type == "article"         ? "journal"
                                   : citation.type == "inproceedings" ? "booktitle"
                                                                      : "note";
    text += fmt::format(",\n  {} = {{{}}}", field, citation.where);
  }
  if (const std::string_view arxiv = "arXiv:"; citation.identifier.starts_with(arxiv)) {
    text += fmt::format(",\n  eprint = {{{}}},\n  archivePrefix = {{arXiv}}",
                        citation.identifier.substr(arxiv.size()));
  }
  return text + "\n}\n";
}

}  // namespace mog::cli
