#include "fencepost/config_def.h"

#include <gtest/gtest.h>

#include "fencepost/settings.h"

namespace fencepost {
namespace {

ConfigDef example() {
  ConfigDef def;
  def.define({.name = "topic", .validator = validators::non_empty_string(), .group = "One"})
      .define({.name = "batch.size",
               .type = ConfigType::Int,
               .default_value = 2000,
               .validator = validators::at_least(std::int64_t{1})})
      .define({.name = "mode", .default_value = "poll", .validator = validators::one_of_ignoring_case({"poll", "interval"})})
      .define({.name = "ratio", .type = ConfigType::Double, .default_value = "0.8"})
      .define({.name = "list", .type = ConfigType::List, .default_value = ""})
      .define({.name = "secret", .type = ConfigType::Password, .default_value = std::monostate{}});
  return def;
}

std::vector<std::string> errors_of(const ConfigDef& def, const ConfigMap& config, const std::string& name) {
  for (const ConfigValue& value : def.validate(config)) {
    if (value.name == name) return value.errors;
  }
  return {};
}

using Texts = std::vector<std::string>;

TEST(ConfigDef, ParsesTypesAndDefaults) {
  const Settings settings = example().parse({{"topic", " t "}, {"list", "a, b ,c"}, {"unknown", "x"}, {"secret", "s3cret"}});
  EXPECT_EQ(settings.get_string("topic"), "t");
  EXPECT_EQ(settings.get_int("batch.size"), 2000);
  EXPECT_EQ(settings.get_double("ratio"), 0.8);
  EXPECT_EQ(settings.get_list("list"), (Texts{"a", "b", "c"}));
  EXPECT_EQ(settings.get_password("secret").secret(), "s3cret");
  EXPECT_EQ(to_text(*settings.find("secret")), "[hidden]");
  EXPECT_EQ(settings.originals().at("unknown"), "x");
  EXPECT_THROW((void)settings.get_int("topic"), ConfigError);
  EXPECT_THROW((void)settings.get_string("unknown"), ConfigError);
}

TEST(ConfigDef, SaysWhatIsWrongInKafkasWords) {
  EXPECT_EQ(errors_of(example(), {}, "topic"), Texts{"Missing required configuration \"topic\" which has no default value."});
  EXPECT_EQ(errors_of(example(), {{"topic", ""}}, "topic"),
            Texts{"Invalid value  for configuration topic: String must be non-empty"});
  EXPECT_EQ(errors_of(example(), {{"batch.size", "0"}}, "batch.size"),
            Texts{"Invalid value 0 for configuration batch.size: Value must be at least 1"});
  EXPECT_EQ(errors_of(example(), {{"batch.size", "2147483648"}}, "batch.size"),
            (Texts{"Invalid value 2147483648 for configuration batch.size: Not a number of type INT",
                   "Invalid value null for configuration batch.size: Value must be non-null"}));
  EXPECT_EQ(errors_of(example(), {{"mode", "x"}}, "mode"),
            Texts{"Invalid value x for configuration mode: String must be one of (case insensitive): POLL, INTERVAL"});
  EXPECT_TRUE(errors_of(example(), {{"mode", "Interval"}}, "mode").empty());
}

TEST(ConfigDef, TrimsControlCharactersAsJavaDoes) {
  EXPECT_EQ(example().parse({{"topic", "\x01t\x02 "}}).get_string("topic"), "t");
}

TEST(ConfigDef, RefusesADefinitionThatContradictsItself) {
  EXPECT_THROW(ConfigDef(example()).define({.name = "topic"}), ConfigError);
  EXPECT_THROW(
      ConfigDef().define(
          {.name = "a", .type = ConfigType::Int, .default_value = 0, .validator = validators::at_least(std::int64_t{1})}),
      ConfigError);
  EXPECT_THROW(ConfigDef().define({.name = "a", .type = ConfigType::Int, .default_value = "x"}), ConfigError);
}

TEST(ConfigDef, EmbedsAnotherDefinitionUnderAPrefix) {
  const ConfigDef def = ConfigDef().embed("transforms.a.", example(), "Transforms: a");
  ASSERT_NE(def.find("transforms.a.topic"), nullptr);
  EXPECT_EQ(def.find("transforms.a.topic")->group, "Transforms: a");
  EXPECT_EQ(def.groups(), Texts{"Transforms: a"});
}

TEST(ConfigDef, AsksTheRecommenderWithTheParsedSettings) {
  class OnlyForPoll : public Recommender {
    std::vector<std::string> valid_values(std::string_view, const Settings& parsed) const override {
      return {parsed.get_string("mode") + "-size"};
    }
    bool visible(std::string_view, const Settings& parsed) const override { return parsed.get_string("mode") == "poll"; }
  };
  ConfigDef def = example();
  def.define({.name = "size", .default_value = std::monostate{}, .recommender = std::make_shared<OnlyForPoll>()});
  const auto values = def.validate({{"mode", "interval"}});
  EXPECT_EQ(values.back().recommended_values, Texts{"interval-size"});
  EXPECT_FALSE(values.back().visible);
}

TEST(ParseConfig, ReadsNumbersAsJavaDoes) {
  EXPECT_EQ(parse_config("n", "+5", ConfigType::Int), ConfigDatum(5));
  EXPECT_EQ(parse_config("n", "-5", ConfigType::Long), ConfigDatum(std::int64_t{-5}));
  EXPECT_EQ(parse_config("n", "1.5e3", ConfigType::Double), ConfigDatum(1500.0));
  for (const char* text : {"", "5x", "0x5", "+-5", "--5", "1.0"})
    EXPECT_THROW((void)parse_config("n", text, ConfigType::Int), ConfigError) << text;
  for (const char* text : {"", "inf", "nan", "x"})
    EXPECT_THROW((void)parse_config("n", text, ConfigType::Double), ConfigError) << text;
}

TEST(Validators, DescribeThemselvesAsKafkaDoes) {
  EXPECT_EQ(validators::at_least(std::int64_t{0}).text, "[0,...]");
  EXPECT_EQ(validators::between(0.5, 1.0).text, "[0.5,...,1.0]");
  EXPECT_EQ(validators::one_of({"none", "all"}).text, "[none, all]");
  EXPECT_EQ(validators::one_of_ignoring_case({"poll", "interval"}).text, "(case insensitive) [POLL, INTERVAL]");
}

TEST(Validators, NameTheControlCharactersOfAName) {
  try {
    validators::non_empty_string_without_control_characters().check("name", std::string("a\x01"
                                                                                        "b\xc2\x85"));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()),
              "Invalid value a\x01"
              "b\xc2\x85 for configuration name: String may not contain control sequences but had the "
              "following ASCII chars: 1, 133");
  }
}

}  // namespace
}  // namespace fencepost
