#include "model/tokenizer/words/words.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/conllu.h"
#include "model/config/config.h"
#include "model/model_directory.h"
#include "model/tokenizer/text/reference_unicode.h"
#include "tests/support/places.h"

namespace mog::model {
namespace {

// The words with one space between them; "|" where a word holds a space.
std::string cut(std::string_view text, WordCut kind = WordCut::ud_en) {
  std::string result;
  for (const std::string_view word : cut_words(text, kind)) {
    result += result.empty() ? "" : " ";
    result += word;
  }
  return result;
}

std::string without_white_space(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (!is_white_space(next_character(text, at))) {
      result += text.substr(begin, at - begin);
    }
  }
  return result;
}

TEST(Words, CliticsAndContractions) {
  EXPECT_EQ(cut("I don't think it's Guardiola's fault."), "I do n't think it 's Guardiola 's fault .");
  EXPECT_EQ(cut("We can't, won't, shouldn't've gone"), "We ca n't , wo n't , should n't 've gone");
  EXPECT_EQ(cut("I'm, you're, he'll, she'd, they've"), "I 'm , you 're , he 'll , she 'd , they 've");
  EXPECT_EQ(cut("I cannot; Cannot, gonna wanna gotta"), "I can not ; Can not , gon na wan na got ta");
  EXPECT_EQ(cut("dont cant its a dog and its tail"), "do nt ca nt it s a dog and its tail");
  // What stands behind the next word changes nothing of it.
  EXPECT_EQ(cut("its the\u201d end"), "it s the \u201d end");
  EXPECT_EQ(cut("its not\u2014really"), "it s not \u2014 really");
  EXPECT_EQ(cut("the dogs' tails, O'Neill at five o'clock"), "the dogs ' tails , O'Neill at five o'clock");
  EXPECT_EQ(cut("DON'T IT'S"), "DO N'T IT 'S");
}

TEST(Words, TypographicMarks) {
  EXPECT_EQ(cut("“Don’t,” she said—slowly—‘it’s’…"), "“ Do n’t , ” she said — slowly — ‘ it ’s ’ …");
  EXPECT_EQ(cut("1939–1945 «ja»"), "1939 – 1945 « ja »");
}

TEST(Words, Hyphens) {
  EXPECT_EQ(cut("a well-known e-mail of the pre-war co-founder, mid-1980s"),
            "a well - known e-mail of the pre-war co-founder , mid-1980s");
  EXPECT_EQ(cut("10-year-old state-of-the-art"), "10 - year - old state - of - the - art");
}

TEST(Words, AbbreviationsKeepTheirPeriod) {
  EXPECT_EQ(cut("Dr. A. Smith Jr. of the U.S. met Mr. Lee, e.g. at 5 p.m. today."),
            "Dr. A. Smith Jr. of the U.S. met Mr. Lee , e.g. at 5 p.m. today .");
  EXPECT_EQ(cut("No. 5 and No. Yes."), "No. 5 and No . Yes .");
  // At the end of a sentence the period is the sentence's.
  EXPECT_EQ(cut("cats, dogs, etc."), "cats , dogs , etc .");
  EXPECT_EQ(cut("the sun. Then Sun. we go"), "the sun . Then Sun. we go");
}

TEST(Words, NumbersAndUnits) {
  EXPECT_EQ(cut("$1,200.50, 50% at 7:30pm on 11/28/2000"), "$ 1,200.50 , 50 % at 7:30 pm on 11/28/2000");
  EXPECT_EQ(cut("5km 3kg the 21st, 1990s, the 60's, '72"), "5 km 3 kg the 21st , 1990s , the 60's , '72");
  EXPECT_EQ(cut("713-853-3989 1969-1970 9/11 1/2 #1"), "713-853-3989 1969 - 1970 9/11 1 / 2 # 1");
  EXPECT_EQ(cut("398,487MMBTU US$5"), "398,487 MMBTU US$ 5");
}

TEST(Words, AddressesEmoticonsAndMarks) {
  EXPECT_EQ(cut("n=3 and y=3 =D"), "n = 3 and y = 3 =D");
  EXPECT_EQ(cut("See http://a.org/b_(c)?d=1, or <x.y@z.com>."),
            "See http://a.org/b_(c)?d=1 , or < x.y@z.com > .");
  EXPECT_EQ(cut("(www.a-b.net) a.doc comp.sources.unix"), "( www.a-b.net ) a.doc comp.sources.unix");
  EXPECT_EQ(cut("Great!!! Why?! well... ok :) ;-) <3 -- ***"),
            "Great !!! Why ?! well ... ok :) ;-) <3 -- ***");
  EXPECT_EQ(cut("and/or w/o AT&T (s) #tag @name"), "and / or w/o AT&T ( s ) #tag @name");
  EXPECT_EQ(cut("👍🏽👨‍👩‍👧 🇩🇪🇫🇷"),
            "👍🏽 👨‍👩‍👧 🇩🇪 🇫🇷");
}

TEST(Words, OtherLanguagesStayWhole) {
  EXPECT_EQ(cut("São Paulo, Привет мир! 你好，世界"), "São Paulo , Привет мир ! 你好 ， 世界");
}

TEST(Words, TextThatIsCutAlreadyStays) {
  const std::string text =
      "She said it 's fine , they do n't `` worry '' about Dr. Lee 's well - known plan .";
  EXPECT_EQ(cut(text), text);
  EXPECT_EQ(cut("a b- c", WordCut::spaces), "a b- c");
  EXPECT_EQ(cut("don't\tstop. 1\u00A0000", WordCut::spaces), "don't stop. 1\u00A0000");
}

TEST(Words, Characters) {
  EXPECT_EQ(cut("né e\u0301 👨‍👩‍👧", WordCut::characters), "n é e\u0301 👨‍👩‍👧");
  EXPECT_TRUE(cut_words(" \t ", WordCut::characters).empty());
}

TEST(Words, NothingIsLostOfAnyText) {
  std::mt19937 random(7);
  const std::vector<std::string> parts = {
      "a",   "Z",      ".",      ",", "'", "’",  "-",      "–",       "/",    ":",      ";",       ")",
      "(",   "@",      "#",      "$", "&", "%",  "*",      "_",       "=",    "<",      ">",       "3",
      "|",   "\\",     "\"",     "!", "?", "…",  " ",      "\t",      "19",   "05",     "http://", "www.",
      "n't", "\u0301", "\u200D", "👍", "é", "中", "\u00A0", "mailto:", "U.S.", "\uFEFF", "\u2028",  "İ"};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t length = random() % 25; length > 0; --length) {
      text += parts[random() % parts.size()];
    }
    for (const WordCut kind : {WordCut::ud_en, WordCut::spaces, WordCut::characters}) {
      std::string joined;
      for (const std::string_view word : cut_words(text, kind)) {
        ASSERT_FALSE(word.empty()) << text;
        joined += word;
      }
      ASSERT_EQ(without_white_space(joined), without_white_space(text)) << name(kind);
    }
  }
}

TEST(Words, NamesAreReadAndRefused) {
  for (const char* text : {"auto", "spaces", "ud-en", "characters"}) {
    EXPECT_EQ(name(parse_word_cut(text)), text);
  }
  EXPECT_THROW(parse_word_cut("ud-de"), UsageError);
}

TEST(Words, ATokenizerKeepsTextAndPlaces) {
  for (const char* model : {"tagger-en-distilled", "tagger-en-graph"}) {
    const ModelDirectory opened =
        open_model_directory(mog::test::resources_dir() / "models" / model, {.weights = false});
    EXPECT_EQ(opened.config.tokenizer.words, WordCut::ud_en);
    EXPECT_EQ(parse_config(to_json(opened.config), "config.json"), opened.config);
    const auto tokenizer = with_words(opened.tokenizer, WordCut::ud_en);
    const std::string text = "I  don't know\u00A0Guardiola's e-mail.";
    const Sentence sentence = tokenizer->encode(text, 3);
    EXPECT_EQ(sentence.text, text);
    EXPECT_EQ(sentence.number, 3);
    const std::vector<std::string> words = {"I", "do", "n't", "know", "Guardiola", "'s", "e-mail", "."};
    ASSERT_EQ(sentence.words.size(), words.size());
    const auto part = [&](ByteSpan bytes) {
      return text.substr(static_cast<std::size_t>(bytes.begin),
                         static_cast<std::size_t>(bytes.end - bytes.begin));
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(sentence.words[i].text, words[i]);
      EXPECT_EQ(part(sentence.words[i].bytes), words[i]);
    }
    const Sentence given = opened.tokenizer->encode_words(words, 3);
    ASSERT_EQ(sentence.tokens.size(), given.tokens.size());
    std::vector<std::string> pieces(words.size());
    for (std::size_t i = 0; i < given.tokens.size(); ++i) {
      EXPECT_EQ(sentence.tokens[i].id, given.tokens[i].id);
      if (sentence.tokens[i].word >= 0) {
        pieces[static_cast<std::size_t>(sentence.tokens[i].word)] += part(sentence.tokens[i].bytes);
      }
    }
    EXPECT_EQ(pieces, words);
    EXPECT_EQ(with_words(opened.tokenizer, WordCut::automatic), opened.tokenizer);
    EXPECT_EQ(tokenizer->encode(" ", 1).tokens.size(), opened.tokenizer->encode(" ", 1).tokens.size());
  }
}

struct Agreement {
  std::int64_t sentences = 0;
  std::int64_t same = 0;
  std::int64_t gold = 0;
  std::int64_t found = 0;
  std::int64_t shared = 0;
  double f1() const { return 200.0 * static_cast<double>(shared) / static_cast<double>(gold + found); }
  double exact() const { return 100.0 * static_cast<double>(same) / static_cast<double>(sentences); }
};

std::set<std::pair<std::size_t, std::size_t>> spans(const std::vector<std::string>& words) {
  std::set<std::pair<std::size_t, std::size_t>> places;
  std::size_t at = 0;
  for (const std::string& word : words) {
    places.emplace(at, at + word.size());
    at += word.size();
  }
  return places;
}

// Against the words of a treebank, each sentence cut from its "# text = …".
Agreement agreement(const std::filesystem::path& treebank) {
  Agreement result;
  io::ConlluReader reader(treebank);
  io::TreebankSentence tree;
  while (reader.next(tree)) {
    std::vector<std::string> gold;
    for (const io::TreebankWord& word : tree.words) {
      gold.push_back(without_white_space(word.form));
    }
    std::string text;
    for (const std::string& comment : tree.comments) {
      text = comment.starts_with("# text = ") ? comment.substr(9) : text;
    }
    std::vector<std::string> found;
    for (const std::string_view word : cut_words(text, WordCut::ud_en)) {
      found.emplace_back(word);
    }
    const auto wanted = spans(gold);
    const auto places = spans(found);
    ++result.sentences;
    result.same += wanted == places ? 1 : 0;
    result.gold += static_cast<std::int64_t>(wanted.size());
    result.found += static_cast<std::int64_t>(places.size());
    for (const auto& place : places) {
      result.shared += wanted.contains(place) ? 1 : 0;
    }
  }
  return result;
}

TEST(Words, AgreeWithEwtTest) {
  MOG_REQUIRE_SHARED(treebank, "data/treebanks/en_ewt-test.conllu");
  const Agreement found = agreement(treebank);
  EXPECT_EQ(found.sentences, 2077);
  EXPECT_GE(found.exact(), 95.5);
  EXPECT_GE(found.f1(), 99.1);
}

TEST(Words, AgreeWithPud) {
  MOG_REQUIRE_SHARED(treebank, "data/treebanks/en_pud.conllu");
  const Agreement found = agreement(treebank);
  EXPECT_EQ(found.sentences, 1000);
  EXPECT_GE(found.exact(), 99.0);
  EXPECT_GE(found.f1(), 99.9);
}

}  // namespace
}  // namespace mog::model
