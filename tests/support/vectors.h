#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fencepost::testing {

using Json = nlohmann::ordered_json;

/// The cases of a golden vector file made with the Java 4.3.1 classes (tests/vectors).
inline Json vectors(const std::string& name) {
  std::ifstream in(std::string(FENCEPOST_SOURCE_DIR) + "/tests/vectors/" + name);
  if (!in) throw std::runtime_error("cannot open tests/vectors/" + name);
  return Json::parse(in);
}

inline std::string from_hex(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return out;
}

inline std::string to_hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    out.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  return out;
}

}  // namespace fencepost::testing
