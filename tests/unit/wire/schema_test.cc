#include "wire/schema.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>

#include "vectors.h"
#include "wire/apis.h"

namespace fencepost::wire {
namespace {

using testing::Json;

/// Kafka's own message files lie in this jar. FENCEPOST_KAFKA_LIBS names the folder of the jars.
std::string clients_jar() {
  if (const char* libs = std::getenv("FENCEPOST_KAFKA_LIBS")) return std::string(libs) + "/kafka-clients-4.3.1.jar";
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : "") + "/.cache/connect-lab/libs/kafka-clients-4.3.1.jar";
}

Json message_file(const std::string& name) {
  const std::string command = "unzip -p '" + clients_jar() + "' common/message/" + name + ".json";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  char chunk[4096];
  while (const std::size_t got = fread(chunk, 1, sizeof chunk, pipe.get())) text.append(chunk, got);
  return Json::parse(text, nullptr, true, true);  // with // comments
}

/// "none", "3", "0-3", "8+".
Versions parse_versions(const std::string& text) {
  if (text == "none") return kNoVersions;
  const auto number = [](const std::string& digits) { return static_cast<std::int16_t>(std::stoi(digits)); };
  if (text.back() == '+') return {number(text.substr(0, text.size() - 1)), kNewest};
  const auto dash = text.find('-');
  if (dash == std::string::npos) return {number(text), number(text)};
  return {number(text.substr(0, dash)), number(text.substr(dash + 1))};
}

/// Both sides are compared over the versions that we offer: Kafka's "6+" is nothing to us where we stop at 5.
std::vector<SchemaField> fields_of(const Json& json, std::int16_t newest) {
  std::vector<SchemaField> out;
  for (const Json& field : json) {
    SchemaField entry;
    entry.name = field.at("name");
    entry.versions = parse_versions(field.at("versions"));
    if (entry.versions.first > newest) continue;
    entry.nullable_versions = parse_versions(field.value("nullableVersions", "none"));
    entry.tag = field.value("tag", FieldRule::kUntagged);
    entry.type = field.at("type");
    if (field.contains("fields")) {
      entry.type = "[]";
      entry.fields = fields_of(field.at("fields"), newest);
    }
    out.push_back(std::move(entry));
  }
  return out;
}

void expect_same(const std::vector<SchemaField>& ours, const std::vector<SchemaField>& kafkas, std::int16_t newest) {
  ASSERT_EQ(ours.size(), kafkas.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    SCOPED_TRACE(kafkas[i].name);
    EXPECT_EQ(ours[i].name, kafkas[i].name);
    EXPECT_EQ(ours[i].type, kafkas[i].type);
    EXPECT_EQ(ours[i].tag, kafkas[i].tag);
    for (std::int16_t version = 0; version <= newest; ++version) {
      SCOPED_TRACE("version " + std::to_string(version));
      const bool there = kafkas[i].versions.contains(version);
      EXPECT_EQ(ours[i].versions.contains(version), there);
      EXPECT_EQ(there && ours[i].nullable_versions.contains(version), there && kafkas[i].nullable_versions.contains(version));
    }
    expect_same(ours[i].fields, kafkas[i].fields, newest);
  }
}

template <class Message>
void agrees_with_kafkas_file() {
  const std::string name(Message::kApi.name);
  SCOPED_TRACE(name);
  const Json file = message_file(name);
  EXPECT_EQ(Message::kApi.key, file.at("apiKey").get<int>());
  const Versions valid = parse_versions(file.at("validVersions"));
  EXPECT_EQ(Message::kApi.versions.first, valid.first);
  EXPECT_EQ(Message::kApi.versions.last, name.starts_with("InitProducerId") ? 5 : valid.last);
  const Versions flexible = parse_versions(file.value("flexibleVersions", "none"));
  EXPECT_EQ(Message::kApi.flexible_since, flexible == kNoVersions ? kNeverFlexible : flexible.first);
  expect_same(schema_of<Message>(), fields_of(file.at("fields"), Message::kApi.versions.last), Message::kApi.versions.last);
}

TEST(WireSchema, EveryMessageIsDescribedAsInKafkasOwnFiles) {
  if (!std::filesystem::exists(clients_jar())) {
    GTEST_SKIP() << clients_jar() << " is not there; set FENCEPOST_KAFKA_LIBS to the folder of Kafka 4.3.1's jars";
  }
  for_each_request([]<class Request>() {
    agrees_with_kafkas_file<Request>();
    agrees_with_kafkas_file<typename Request::Response>();
  });
}

}  // namespace
}  // namespace fencepost::wire
