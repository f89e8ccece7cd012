#include "fencepost/record.h"

#include <algorithm>

namespace fencepost {

Headers& Headers::add(SharedString key, SchemaPtr schema, Value value) {
  headers_.push_back({std::move(key), std::move(schema), std::move(value)});
  return *this;
}

std::size_t Headers::remove(std::string_view key) {
  return std::erase_if(headers_, [&](const Header& header) { return header.key.view() == key; });
}

const Header* Headers::last(std::string_view key) const {
  const auto at =
      std::find_if(headers_.rbegin(), headers_.rend(), [&](const Header& header) { return header.key.view() == key; });
  return at == headers_.rend() ? nullptr : &*at;
}

const FieldMap& SourcePartition::fields() const {
  static const FieldMap none;
  return fields_ == nullptr ? none : *fields_;
}

FieldMap SourceOffset::fields() const {
  if (const Single* one = single()) return FieldMap{{one->field.str(), Value(one->number)}};
  const auto* many = std::get_if<std::shared_ptr<const FieldMap>>(&content_);
  return many == nullptr ? FieldMap() : **many;
}

bool operator==(const SourceOffset& a, const SourceOffset& b) {
  const auto* one = a.single();
  const auto* other = b.single();
  if (one != nullptr && other != nullptr) return one->number == other->number && one->field == other->field;
  return a.has_value() == b.has_value() && a.fields() == b.fields();
}

std::size_t ConnectRecord::size_estimate() const {
  std::size_t sum = sizeof(ConnectRecord) + key.size_estimate() + value.size_estimate();
  for (const Header& header : headers) sum += sizeof(Header) + header.key.view().size() + header.value.size_estimate();
  return sum;
}

}  // namespace fencepost
