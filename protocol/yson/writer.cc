#include "protocol/yson/writer.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "protocol/base/check.h"

namespace retinue::yson {

namespace {

static_assert(std::endian::native == std::endian::little, "binary doubles are little-endian");

constexpr size_t kIndent = 4;
constexpr size_t kVarintBytesMax = 10;
// Room for the shortest form of any number.
constexpr size_t kNumberBytesMax = 32;

uint64_t zigzag_encoded(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}

void append_varint(std::string& out, char marker, uint64_t value) {
  char bytes[1 + kVarintBytesMax];
  char* end = bytes;
  *end++ = marker;
  for (; value >= 0x80; value >>= 7) {
    *end++ = static_cast<char>(value | 0x80);
  }
  *end++ = static_cast<char>(value);
  out.append(bytes, end);
}

template <typename Number>
std::string_view append_number(std::string& out, Number value) {
  char bytes[kNumberBytesMax];
  char* end = std::to_chars(bytes, bytes + sizeof(bytes), value).ptr;
  out.append(bytes, end);
  return std::string_view(out).substr(out.size() - static_cast<size_t>(end - bytes));
}

void append_text_double(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "%nan";
  } else if (std::isinf(value)) {
    out += value > 0 ? "%inf" : "%-inf";
  } else if (append_number(out, value).find_first_of(".e") == std::string_view::npos) {
    out += '.';
  }
}

bool is_plain(char byte) {
  return byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\';
}

void append_escaped(std::string& out, char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  auto number = static_cast<uint8_t>(byte);
  switch (byte) {
    case '\n': out += "\\n"; break;
    case '\t': out += "\\t"; break;
    case '\r': out += "\\r"; break;
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    default: out.append({'\\', 'x', kDigits[number >> 4], kDigits[number & 0xf]});
  }
}

void append_quoted(std::string& out, std::string_view value) {
  out += '"';
  for (auto at = value.begin(); at != value.end();) {
    auto plain_end = std::find_if_not(at, value.end(), is_plain);
    out.append(at, plain_end);
    at = plain_end;
    if (at != value.end()) {
      append_escaped(out, *at++);
    }
  }
  out += '"';
}

}  // namespace

void Writer::entity() {
  before_value();
  out_ += '#';
}

void Writer::boolean(bool value) {
  before_value();
  if (format_ == Format::kBinary) {
    out_ += value ? '\x05' : '\x04';
  } else {
    out_ += value ? "%true" : "%false";
  }
}

void Writer::int64(int64_t value) {
  before_value();
  if (format_ == Format::kBinary) {
    append_varint(out_, '\x02', zigzag_encoded(value));
  } else {
    append_number(out_, value);
  }
}

void Writer::uint64(uint64_t value) {
  before_value();
  if (format_ == Format::kBinary) {
    append_varint(out_, '\x06', value);
  } else {
    append_number(out_, value);
    out_ += 'u';
  }
}

void Writer::real(double value) {
  before_value();
  if (format_ == Format::kBinary) {
    char bytes[1 + sizeof(value)] = {'\x03'};
    std::memcpy(bytes + 1, &value, sizeof(value));
    out_.append(bytes, sizeof(bytes));
  } else {
    append_text_double(out_, value);
  }
}

void Writer::string(std::string_view value) {
  before_value();
  write_string(value);
}

void Writer::begin_list() {
  before_value();
  open('[');
}

void Writer::end_list() {
  close('[', ']');
}

void Writer::begin_map() {
  before_value();
  open('{');
}

void Writer::key(std::string_view key) {
  RETINUE_CHECK(!scopes_.empty() && scopes_.back() != '[' && !after_key_ && !after_attributes_,
                "a key outside a map, or a key without its value");
  separate();
  write_string(key);
  out_ += format_ == Format::kPretty ? " = " : "=";
  after_key_ = true;
}

void Writer::end_map() {
  close('{', '}');
}

void Writer::begin_attributes() {
  RETINUE_CHECK(!after_attributes_, "attributes of attributes");
  before_value();
  open('<');
}

void Writer::end_attributes() {
  close('<', '>');
  if (format_ == Format::kPretty) {
    out_ += ' ';
  }
  after_attributes_ = true;
}

void Writer::node(const Node& node) {
  auto write_entries = [this](const Map& map) {
    for (const MapEntry& entry : map) {
      key(entry.key);
      this->node(entry.value);
    }
  };
  if (node.has_attributes()) {
    begin_attributes();
    write_entries(node.attributes());
    end_attributes();
  }
  switch (node.kind()) {
    case NodeKind::kEntity: return entity();
    case NodeKind::kBoolean: return boolean(node.as_boolean());
    case NodeKind::kInt64: return int64(node.as_int64());
    case NodeKind::kUint64: return uint64(node.as_uint64());
    case NodeKind::kDouble: return real(node.as_double());
    case NodeKind::kString: return string(node.as_string());
    case NodeKind::kList:
      begin_list();
      for (const Node& item : node.as_list()) {
        this->node(item);
      }
      return end_list();
    case NodeKind::kMap:
      begin_map();
      write_entries(node.as_map());
      return end_map();
  }
}

void Writer::raw(std::string_view encoded) {
  before_value();
  out_ += encoded;
}

void Writer::before_value() {
  if (after_key_ || after_attributes_) {
    after_key_ = after_attributes_ = false;
    return;
  }
  RETINUE_CHECK(scopes_.empty() ? scope_fresh_ : scopes_.back() == '[',
                "a second node, or a value without its key");
  separate();
}

void Writer::separate() {
  if (!scope_fresh_) {
    out_ += ';';
  }
  scope_fresh_ = false;
  if (!scopes_.empty()) {
    new_line();
  }
}

void Writer::new_line() {
  if (format_ == Format::kPretty) {
    out_ += '\n';
    out_.append(kIndent * scopes_.size(), ' ');
  }
}

void Writer::open(char bracket) {
  out_ += bracket;
  scopes_ += bracket;
  scope_fresh_ = true;
}

void Writer::close(char opening, char closing) {
  RETINUE_CHECK(!scopes_.empty() && scopes_.back() == opening && !after_key_ && !after_attributes_,
                "a closing bracket that fits no opening one");
  scopes_.pop_back();
  if (!scope_fresh_ && format_ == Format::kPretty) {
    out_ += ';';
    new_line();
  }
  scope_fresh_ = false;
  out_ += closing;
}

void Writer::write_string(std::string_view value) {
  if (format_ == Format::kBinary) {
    append_varint(out_, '\x01', zigzag_encoded(static_cast<int64_t>(value.size())));
    out_ += value;
  } else {
    append_quoted(out_, value);
  }
}

std::string to_string(const Node& node, Format format) {
  std::string out;
  Writer(out, format).node(node);
  return out;
}

}  // namespace retinue::yson
