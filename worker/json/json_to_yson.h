// JsonToYson: a JSON value, as it is parsed, into binary YSON. Private to this folder.
//
// Owns: its buffers. Borrows: the line whose values it converts, for errors.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/yson/writer.h"
#include "worker/json/json_line.h"

namespace retinue::worker {

class JsonToYson {
 public:
  explicit JsonToYson(JsonLine& line) : line_(line) {}

  // Valid until the next call. Refuses malformed JSON, a key that repeats in its object, numbers
  // that fit no type and nesting past limits::kYsonDepthLimit.
  Result<std::string_view> convert(simdjson::ondemand::value value);

 private:
  Result<void> write(simdjson::ondemand::value value, yson::Writer& writer, int depth);
  Result<void> write_list(simdjson::ondemand::value value, yson::Writer& writer, int depth);
  Result<void> write_map(simdjson::ondemand::value value, yson::Writer& writer, int depth);
  Result<void> write_scalar(simdjson::ondemand::value value, simdjson::ondemand::json_type type,
                            yson::Writer& writer);
  Result<void> write_number(simdjson::ondemand::value value, yson::Writer& writer);

  JsonLine& line_;
  std::string yson_;
  std::vector<std::string_view> keys_;  // of the objects being written, outermost first
};

}  // namespace retinue::worker
