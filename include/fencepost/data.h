#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fencepost/errors.h"

namespace fencepost {

class Schema;
class Struct;
class Value;
using SchemaPtr = std::shared_ptr<const Schema>;

/// An immutable run of bytes that is shared, not copied: a pointer, a length and whatever keeps them alive. The payload of a
/// consumed record passes through a mirror without a copy: Bytes(record_handle, payload_view).
class Bytes {
 public:
  Bytes() = default;
  /// Copies the bytes.
  explicit Bytes(std::string_view copied);
  /// Shares bytes that live as long as their owner does.
  Bytes(std::shared_ptr<const void> owner, std::string_view bytes) : owner_(std::move(owner)), view_(bytes) {}
  /// Refers to bytes of static storage, such as a literal.
  [[nodiscard]] static Bytes of_static(std::string_view bytes) { return {nullptr, bytes}; }

  [[nodiscard]] std::string_view view() const { return view_; }
  [[nodiscard]] const char* data() const { return view_.data(); }
  [[nodiscard]] std::size_t size() const { return view_.size(); }
  [[nodiscard]] bool empty() const { return view_.empty(); }
  [[nodiscard]] const std::shared_ptr<const void>& owner() const& { return owner_; }
  [[nodiscard]] std::shared_ptr<const void> owner() && { return std::move(owner_); }

  friend bool operator==(const Bytes& a, const Bytes& b) { return a.view_ == b.view_; }
  friend std::strong_ordering operator<=>(const Bytes& a, const Bytes& b) { return a.view_ <=> b.view_; }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view view_;
};

/// An immutable text that is shared by everyone who holds it: a topic, the name of an offset field, a header's key. Made once,
/// copied for the price of a counter.
class SharedString {
 public:
  SharedString() = default;
  SharedString(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}  // NOLINT: a text is a text
  SharedString(std::string_view text) : SharedString(std::string(text)) {}                         // NOLINT
  SharedString(const char* text) : SharedString(std::string(text)) {}                              // NOLINT

  [[nodiscard]] const std::string& str() const;
  [[nodiscard]] std::string_view view() const { return str(); }
  [[nodiscard]] bool empty() const { return text_ == nullptr || text_->empty(); }

  friend bool operator==(const SharedString& a, const SharedString& b) { return a.text_ == b.text_ || a.view() == b.view(); }
  friend std::strong_ordering operator<=>(const SharedString& a, const SharedString& b) { return a.view() <=> b.view(); }

 private:
  std::shared_ptr<const std::string> text_;
};

/// A number of any size with a fixed count of digits after the point: unscaled * 10^-scale, as java.math.BigDecimal.
class Decimal {
 public:
  Decimal() : unscaled_(Bytes::of_static(std::string_view("\0", 1))) {}
  /// `unscaled` is a big-endian two's complement integer of any length; empty stands for 0.
  Decimal(Bytes unscaled, std::int32_t scale) : unscaled_(std::move(unscaled)), scale_(scale) {}
  Decimal(std::int64_t unscaled, std::int32_t scale);
  /// Reads "12.340", "-7", "1.5E+3". DataError for anything else.
  [[nodiscard]] static Decimal parse(std::string_view text);
  /// From the digits of the unscaled number: ("-12340", 3) is -12.340. DataError where they are not digits.
  [[nodiscard]] static Decimal from_digits(std::string_view digits, std::int32_t scale);

  [[nodiscard]] const Bytes& unscaled() const { return unscaled_; }
  [[nodiscard]] std::int32_t scale() const { return scale_; }
  /// The digits of the unscaled number with its sign: "-12340".
  [[nodiscard]] std::string unscaled_digits() const;
  /// As BigDecimal.toString prints it: "12.340", and "1E+3" where the scale is negative.
  [[nodiscard]] std::string to_string() const;
  /// As BigDecimal.toPlainString prints it: never with an exponent.
  [[nodiscard]] std::string to_plain_string() const;
  [[nodiscard]] double to_double() const;

  /// As BigDecimal.equals: the same number in another scale is another value.
  friend bool operator==(const Decimal& a, const Decimal& b);

 private:
  Bytes unscaled_;
  std::int32_t scale_ = 0;
};

using ValueList = std::vector<Value>;
/// Pairs of key and value, in the order in which they came; the order has no meaning.
using ValueMap = std::vector<std::pair<Value, Value>>;

/// One value of a record: immutable, 32 bytes, cheap to copy and to move (what is large is shared).
///
/// Which kind a schema asks for: INT8..STRING the kind of the same name; BYTES Kind::Bytes; the logical Decimal Kind::Decimal;
/// the logical Date, Time and Timestamp all Kind::Date (milliseconds since the epoch, as java.util.Date).
class Value {
 public:
  enum class Kind : std::uint8_t {
    Null,
    Boolean,
    Int8,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    String,
    Bytes,
    Array,
    Map,
    Struct,
    Decimal,
    Date
  };

  Value() noexcept = default;
  Value(std::nullptr_t) noexcept {}                                                      // NOLINT: implicit like JSON's null
  Value(bool value) noexcept : kind_(Kind::Boolean) { payload_.integer = value; }        // NOLINT
  Value(std::int8_t value) noexcept : kind_(Kind::Int8) { payload_.integer = value; }    // NOLINT
  Value(std::int16_t value) noexcept : kind_(Kind::Int16) { payload_.integer = value; }  // NOLINT
  Value(std::int32_t value) noexcept : kind_(Kind::Int32) { payload_.integer = value; }  // NOLINT
  Value(std::int64_t value) noexcept : kind_(Kind::Int64) { payload_.integer = value; }  // NOLINT
  Value(float value) noexcept : kind_(Kind::Float32) { payload_.floating = value; }      // NOLINT
  Value(double value) noexcept : kind_(Kind::Float64) { payload_.floating = value; }     // NOLINT
  Value(std::string_view text) : Value(string(fencepost::Bytes(text))) {}                // NOLINT
  Value(const std::string& text) : Value(std::string_view(text)) {}                      // NOLINT
  Value(const char* text) : Value(std::string_view(text)) {}                             // NOLINT
  Value(ValueList items);                                                                // NOLINT
  Value(ValueMap entries);                                                               // NOLINT
  Value(Struct fields);                                                                  // NOLINT
  Value(Decimal number);                                                                 // NOLINT
  template <class T>
  Value(const T*) = delete;  // a pointer is not a bool

  /// Text (UTF-8) and bytes without a copy; at most 4 GiB - 1 (DataError).
  [[nodiscard]] static Value string(fencepost::Bytes text) { return slice(Kind::String, std::move(text)); }
  [[nodiscard]] static Value bytes(fencepost::Bytes bytes) { return slice(Kind::Bytes, std::move(bytes)); }
  [[nodiscard]] static Value bytes(std::string_view copied) { return bytes(fencepost::Bytes(copied)); }
  /// Milliseconds since the epoch (UTC): what the logical Date, Time and Timestamp hold.
  [[nodiscard]] static Value date_ms(std::int64_t milliseconds);

  Value(const Value&) = default;
  Value& operator=(const Value&) = default;
  Value(Value&& other) noexcept
      : owner_(std::move(other.owner_)),
        payload_(other.payload_),
        size_(other.size_),
        kind_(std::exchange(other.kind_, Kind::Null)) {}
  Value& operator=(Value&& other) noexcept {
    owner_ = std::move(other.owner_);
    payload_ = other.payload_;
    size_ = other.size_;
    kind_ = std::exchange(other.kind_, Kind::Null);
    return *this;
  }
  ~Value() = default;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_null() const { return kind_ == Kind::Null; }
  [[nodiscard]] bool is(Kind kind) const { return kind_ == kind; }

  /// The content of exactly that kind; DataError where the value is of another. Views and references live as long as this value.
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] std::int8_t as_int8() const;
  [[nodiscard]] std::int16_t as_int16() const;
  [[nodiscard]] std::int32_t as_int32() const;
  [[nodiscard]] std::int64_t as_int64() const;
  [[nodiscard]] float as_float32() const;
  [[nodiscard]] double as_float64() const;
  [[nodiscard]] std::string_view as_string() const;
  /// The content of a string or of bytes, shared.
  [[nodiscard]] fencepost::Bytes as_bytes() const;
  [[nodiscard]] const ValueList& as_array() const;
  [[nodiscard]] const ValueMap& as_map() const;
  [[nodiscard]] const Struct& as_struct() const;
  [[nodiscard]] const Decimal& as_decimal() const;
  [[nodiscard]] std::int64_t as_date_ms() const;
  /// Any of the four integer kinds, widened.
  [[nodiscard]] std::int64_t as_integer() const;
  [[nodiscard]] bool is_integer() const { return kind_ >= Kind::Int8 && kind_ <= Kind::Int64; }

  /// About how many bytes of memory the value refers to: what queues are bounded by.
  [[nodiscard]] std::size_t size_estimate() const;
  /// For messages and traces: text plainly, bytes as their count, collections in brackets.
  [[nodiscard]] std::string to_display() const;

  /// Deep; of the same kind only (int32 1 is not int64 1); maps regardless of order; NaN equals NaN, as Java's equals().
  friend bool operator==(const Value& a, const Value& b);

 private:
  union Payload {
    std::int64_t integer;
    double floating;
    const char* data;
  };

  [[nodiscard]] static Value slice(Kind kind, fencepost::Bytes bytes) {
    if (bytes.size() > std::numeric_limits<std::uint32_t>::max()) throw_too_large(bytes.size());
    Value value;
    value.payload_.data = bytes.data();
    value.size_ = static_cast<std::uint32_t>(bytes.size());
    value.kind_ = kind;
    value.owner_ = std::move(bytes).owner();
    return value;
  }
  void require(Kind kind) const {
    if (kind_ != kind) throw_wrong_kind(kind);
  }
  [[noreturn]] void throw_wrong_kind(Kind wanted) const;
  [[noreturn]] static void throw_too_large(std::size_t size);

  // Keeps alive what payload_.data points at, or is itself the array, map, struct or decimal.
  std::shared_ptr<const void> owner_;
  Payload payload_{.integer = 0};
  std::uint32_t size_ = 0;
  Kind kind_ = Kind::Null;
};

[[nodiscard]] std::string_view to_string(Value::Kind kind);

/// Values for the fields of a struct schema. Filled in by put(), then given to a Value, which makes it immutable.
class Struct {
 public:
  /// DataError where the schema is no struct.
  explicit Struct(SchemaPtr schema);

  /// Throws DataError where there is no such field or the value does not follow the field's schema.
  Struct& put(std::string_view field, Value value);
  Struct& put(std::size_t index, Value value);

  [[nodiscard]] const SchemaPtr& schema() const { return schema_; }
  /// The value, and the field's default where it is null and has one. DataError for a field that does not exist.
  [[nodiscard]] const Value& get(std::string_view field) const;
  [[nodiscard]] const Value& get(std::size_t index) const;
  /// The value as it was put; null where it was not.
  [[nodiscard]] const Value& get_without_default(std::string_view field) const;
  [[nodiscard]] const Value& get_without_default(std::size_t index) const { return values_.at(index); }
  /// DataError where a required field without default is null.
  void validate() const;

  friend bool operator==(const Struct& a, const Struct& b);

 private:
  SchemaPtr schema_;
  std::vector<Value> values_;
};

inline bool Value::as_bool() const { return require(Kind::Boolean), payload_.integer != 0; }
inline std::int8_t Value::as_int8() const { return require(Kind::Int8), static_cast<std::int8_t>(payload_.integer); }
inline std::int16_t Value::as_int16() const { return require(Kind::Int16), static_cast<std::int16_t>(payload_.integer); }
inline std::int32_t Value::as_int32() const { return require(Kind::Int32), static_cast<std::int32_t>(payload_.integer); }
inline std::int64_t Value::as_int64() const { return require(Kind::Int64), payload_.integer; }
inline float Value::as_float32() const { return require(Kind::Float32), static_cast<float>(payload_.floating); }
inline double Value::as_float64() const { return require(Kind::Float64), payload_.floating; }
inline std::string_view Value::as_string() const { return require(Kind::String), std::string_view(payload_.data, size_); }
inline std::int64_t Value::as_date_ms() const { return require(Kind::Date), payload_.integer; }
inline Bytes Value::as_bytes() const {
  if (kind_ != Kind::String) require(Kind::Bytes);
  return {owner_, std::string_view(payload_.data, size_)};
}
inline const ValueList& Value::as_array() const { return require(Kind::Array), *static_cast<const ValueList*>(owner_.get()); }
inline const ValueMap& Value::as_map() const { return require(Kind::Map), *static_cast<const ValueMap*>(owner_.get()); }
inline const Struct& Value::as_struct() const { return require(Kind::Struct), *static_cast<const Struct*>(owner_.get()); }
inline const Decimal& Value::as_decimal() const { return require(Kind::Decimal), *static_cast<const Decimal*>(owner_.get()); }

/// Names and values in a given order, flat: a source partition or a source offset. The order counts where they are written,
/// because the offsets topic is compacted by the bytes of its keys; for equality it does not.
class FieldMap {
 public:
  using Entry = std::pair<std::string, Value>;

  FieldMap() = default;
  FieldMap(std::initializer_list<Entry> entries);

  /// Replaces in place, or appends.
  FieldMap& set(std::string_view name, Value value);
  /// Null pointer where the name is absent.
  [[nodiscard]] const Value* find(std::string_view name) const;

  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  friend bool operator==(const FieldMap& a, const FieldMap& b);

 private:
  std::vector<Entry> entries_;
};

}  // namespace fencepost
