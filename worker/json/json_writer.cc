#include "worker/json/json_writer.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <iterator>

#include "worker/json/base64.h"

namespace retinue::worker {
namespace {

using yson::Map;
using yson::Node;
using yson::NodeKind;

bool needs_escape(char c) {
  return static_cast<uint8_t>(c) < 0x20 || c == '"' || c == '\\';
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<uint8_t>(c));
  }
}

void append_utf8(std::string& out, std::string_view text) {
  out += '"';
  size_t written = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (needs_escape(text[i])) {
      out.append(text.substr(written, i - written));
      append_escaped(out, text[i]);
      written = i + 1;
    }
  }
  out.append(text.substr(written));
  out += '"';
}

class NodeWriter {
 public:
  NodeWriter(std::string& out, JsonFormat format) : out_(out), format_(format) {}

  void write(const Node& node) {
    if (node.has_attributes()) {
      begin('{');
      key("$attributes", true);
      write(node.attributes());
      key("$value", false);
      write_value(node);
      end('}');
    } else {
      write_value(node);
    }
  }

 private:
  void write_value(const Node& node);
  void write(const Map& map);
  void begin(char bracket) {
    out_ += bracket;
    ++depth_;
  }
  void end(char bracket) {
    --depth_;
    next_line();
    out_ += bracket;
  }
  // What comes before an item of a list or a map.
  void item(bool is_first) {
    if (!is_first) {
      out_ += ',';
    }
    next_line();
  }
  void key(std::string_view key, bool is_first);
  void next_line() {
    if (format_ == JsonFormat::kPretty) {
      out_ += '\n';
      out_.append(depth_ * 2, ' ');
    }
  }

  std::string& out_;
  const JsonFormat format_;
  size_t depth_ = 0;
};

void NodeWriter::write_value(const Node& node) {
  switch (node.kind()) {
    case NodeKind::kEntity: out_ += "null"; break;
    case NodeKind::kBoolean: out_ += node.as_boolean() ? "true" : "false"; break;
    case NodeKind::kInt64: fmt::format_to(std::back_inserter(out_), "{}", node.as_int64()); break;
    case NodeKind::kUint64: fmt::format_to(std::back_inserter(out_), "{}", node.as_uint64()); break;
    case NodeKind::kDouble: append_json_double(out_, node.as_double()); break;
    case NodeKind::kString: append_json_string(out_, node.as_string()); break;
    case NodeKind::kMap: write(node.as_map()); break;
    case NodeKind::kList:
      if (node.as_list().empty()) {
        out_ += "[]";
        break;
      }
      begin('[');
      for (const Node& child : node.as_list()) {
        item(&child == &node.as_list().front());
        write(child);
      }
      end(']');
  }
}

void NodeWriter::write(const Map& map) {
  if (map.empty()) {
    out_ += "{}";
    return;
  }
  begin('{');
  for (const yson::MapEntry& entry : map) {
    key(entry.key, &entry == &map.front());
    write(entry.value);
  }
  end('}');
}

void NodeWriter::key(std::string_view key, bool is_first) {
  item(is_first);
  if (is_utf8(key)) {
    append_utf8(out_, key);
  } else {
    out_ += "\"$base64:";
    append_base64(out_, key);
    out_ += '"';
  }
  out_ += format_ == JsonFormat::kPretty ? ": " : ":";
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  return simdjson::validate_utf8(bytes.data(), bytes.size());
}

void append_json_string(std::string& out, std::string_view bytes) {
  if (is_utf8(bytes)) {
    append_utf8(out, bytes);
  } else {
    out += "{\"$base64\":\"";
    append_base64(out, bytes);
    out += "\"}";
  }
}

void append_json_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
    return;
  }
  const size_t start = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  if (out.find_first_of(".e", start) == std::string::npos) {
    out += ".0";
  }
}

void append_json(std::string& out, const Node& node, JsonFormat format) {
  NodeWriter(out, format).write(node);
}

std::string node_to_json(const Node& node, JsonFormat format) {
  std::string out;
  append_json(out, node, format);
  return out;
}

}  // namespace retinue::worker
