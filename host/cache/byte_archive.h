// SPDX-License-Identifier: Apache-2.0
// Values as bytes and back, for files of our own. One list of fields serves both directions:
// fields(archive, value) calls archive(each, field) and is found by the value's type.
#ifndef SHADERQA_HOST_CACHE_BYTE_ARCHIVE_H
#define SHADERQA_HOST_CACHE_BYTE_ARCHIVE_H

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace shaderqa {

template <typename T>
concept PlainValue = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// Uses the machine's byte order: files are read on the machine that wrote them.
class ByteWriter {
 public:
  template <typename... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  template <typename T>
  void put(const T& value) {
    if constexpr (PlainValue<T>)
      append(&value, 1);
    else
      fields(*this, value);
  }
  void put(const std::string& text) {
    put(static_cast<uint64_t>(text.size()));
    bytes_ += text;
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    put(static_cast<uint64_t>(values.size()));
    if constexpr (PlainValue<T>)
      append(values.data(), values.size());
    else
      for (const T& value : values) put(value);
  }
  template <typename T>
  void append(const T* values, size_t count) {
    bytes_.append(reinterpret_cast<const char*>(values), count * sizeof(T));
  }

  std::string bytes_;
};

// Safe for any bytes: reads nothing beyond them, and needs at most a small multiple of their size in memory.
// After the first failure, every value is empty.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  bool failed() const { return failed_; }
  bool at_end() const { return bytes_.empty(); }
  void fail() {
    failed_ = true;
    bytes_ = {};
  }

 private:
  template <typename T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = 0;
      take(&byte, 1);
      value = byte == 1;
      if (byte > 1) fail();
    } else if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> number{};
      take(&number, 1);
      if (number > static_cast<std::underlying_type_t<T>>(last_value(T{}))) {
        fail();
        number = {};
      }
      value = static_cast<T>(number);
    } else if constexpr (PlainValue<T>) {
      take(&value, 1);
    } else {
      fields(*this, value);
    }
  }
  void get(std::string& text) {
    const size_t count = take_count(1);
    text.assign(bytes_.data(), count);
    bytes_.remove_prefix(count);
  }
  template <typename T>
  void get(std::vector<T>& values) {
    values.clear();
    if constexpr (PlainValue<T>) {
      values.resize(take_count(sizeof(T)));
      take(values.data(), values.size());
    } else {
      // Each value takes at least one byte.
      const size_t count = take_count(1);
      for (size_t i = 0; i < count && !failed_; ++i) get(values.emplace_back());
    }
  }
  size_t take_count(size_t least_each) {
    uint64_t count = 0;
    take(&count, 1);
    if (count <= bytes_.size() / least_each) return static_cast<size_t>(count);
    fail();
    return 0;
  }
  template <typename T>
  void take(T* out, size_t count) {
    if (count * sizeof(T) > bytes_.size()) return fail();
    if (count != 0) std::memcpy(out, bytes_.data(), count * sizeof(T));
    bytes_.remove_prefix(count * sizeof(T));
  }

  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace shaderqa
#endif
