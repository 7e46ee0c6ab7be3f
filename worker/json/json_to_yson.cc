#include "worker/json/json_to_yson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "protocol/base/limits.h"
#include "worker/json/error_text.h"

namespace retinue::worker {

namespace ondemand = simdjson::ondemand;

Result<std::string_view> JsonToYson::convert(ondemand::value value) {
  yson_.clear();
  keys_.clear();
  yson::Writer writer(yson_);
  RETINUE_TRY(write(value, writer, 1));
  return std::string_view(yson_);
}

Result<void> JsonToYson::write(ondemand::value value, yson::Writer& writer, int depth) {
  const char* const where = value.raw_json_token().data();
  ondemand::json_type type{};
  if (const auto failure = value.type().get(type); failure) {
    return line_.syntax_error(failure, where);
  }
  const bool is_list = type == ondemand::json_type::array;
  if (!is_list && type != ondemand::json_type::object) {
    return write_scalar(value, type, writer);
  }
  if (depth > limits::kYsonDepthLimit) {
    return line_.error_at(where,
                          fmt::format("nested deeper than {} levels", limits::kYsonDepthLimit));
  }
  return is_list ? write_list(value, writer, depth) : write_map(value, writer, depth);
}

Result<void> JsonToYson::write_list(ondemand::value value, yson::Writer& writer, int depth) {
  const char* const where = value.raw_json_token().data();
  ondemand::array array;
  if (const auto failure = value.get_array().get(array); failure) {
    return line_.syntax_error(failure, where);
  }
  writer.begin_list();
  for (auto next : array) {
    ondemand::value item;
    if (const auto failure = std::move(next).get(item); failure) {
      return line_.syntax_error(failure);
    }
    RETINUE_TRY(write(item, writer, depth + 1));
  }
  writer.end_list();
  return {};
}

Result<void> JsonToYson::write_map(ondemand::value value, yson::Writer& writer, int depth) {
  const char* const where = value.raw_json_token().data();
  ondemand::object object;
  if (const auto failure = value.get_object().get(object); failure) {
    return line_.syntax_error(failure, where);
  }
  const size_t outer_keys = keys_.size();
  writer.begin_map();
  for (auto next : object) {
    ondemand::field field;
    if (const auto failure = std::move(next).get(field); failure) {
      return line_.syntax_error(failure);
    }
    std::string_view key;
    const char* const key_where = key_start(field);
    if (const auto failure = field.unescaped_key().get(key); failure) {
      return line_.syntax_error(failure, key_where);
    }
    keys_.push_back(key);
    writer.key(key);
    RETINUE_TRY(write(field.value(), writer, depth + 1));
  }
  writer.end_map();
  const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(outer_keys);
  std::sort(first, keys_.end());
  const auto repeated = std::adjacent_find(first, keys_.end());
  if (repeated != keys_.end()) {
    return line_.error_at(
        where, fmt::format("the key {} is there twice in this object", quote_text(*repeated)));
  }
  keys_.resize(outer_keys);
  return {};
}

Result<void> JsonToYson::write_scalar(ondemand::value value, ondemand::json_type type,
                                      yson::Writer& writer) {
  const char* const where = value.raw_json_token().data();
  simdjson::error_code failure = simdjson::SUCCESS;
  if (type == ondemand::json_type::number) {
    return write_number(value, writer);
  }
  if (type == ondemand::json_type::string) {
    std::string_view text;
    if ((failure = value.get_string().get(text)) == simdjson::SUCCESS) {
      writer.string(text);
    }
  } else if (type == ondemand::json_type::boolean) {
    bool boolean = false;
    if ((failure = value.get_bool().get(boolean)) == simdjson::SUCCESS) {
      writer.boolean(boolean);
    }
  } else {
    bool is_null = false;
    if ((failure = value.is_null().get(is_null)) == simdjson::SUCCESS) {
      writer.entity();
    }
  }
  return failure ? Result<void>(line_.syntax_error(failure, where)) : Result<void>();
}

// By type and not with get_number(), which in simdjson 3.0 gives 0.0 for doubles of 20 digits.
Result<void> JsonToYson::write_number(ondemand::value value, yson::Writer& writer) {
  const std::string_view token = value.raw_json_token();
  ondemand::number_type type{};
  int64_t int64 = 0;
  uint64_t uint64 = 0;
  double real = 0;
  const bool is_whole =
      !value.get_number_type().get(type) && type != ondemand::number_type::floating_point_number;
  if (is_whole && !value.get_int64().get(int64)) {
    writer.int64(int64);
  } else if (is_whole && !value.get_uint64().get(uint64)) {
    writer.uint64(uint64);
  } else if (!is_whole && !value.get_double().get(real)) {
    writer.real(real);
  } else if (is_whole) {
    return line_.error_at(
        token.data(), fmt::format("expected a whole number that fits int64 or uint64, found {}; as "
                                  "a double, which would lose digits, it is written with .0",
                                  describe_token(token)));
  } else {
    return line_.error_at(
        token.data(),
        fmt::format("expected a number that fits a double, found {}", describe_token(token)));
  }
  return {};
}

}  // namespace retinue::worker
