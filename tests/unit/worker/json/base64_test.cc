#include "worker/json/base64.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>

namespace retinue::worker {
namespace {

std::string encode(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

TEST(Base64, KnownVectors) {
  // RFC 4648, section 10.
  for (const auto& [bytes, text] :
       {std::pair("", ""), std::pair("f", "Zg=="), std::pair("fo", "Zm8="),
        std::pair("foo", "Zm9v"), std::pair("foob", "Zm9vYg=="), std::pair("fooba", "Zm9vYmE="),
        std::pair("foobar", "Zm9vYmFy"), std::pair("\xff\xfe", "//4=")}) {
    EXPECT_EQ(encode(bytes), text);
    std::string decoded = "old";
    EXPECT_TRUE(decode_base64(text, decoded));
    EXPECT_EQ(decoded, bytes);
  }
}

TEST(Base64, RefusesAllButTheOneForm) {
  std::string out;
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zm 9",
                           "Zm9v\n", "Zg==Zg==", "-_==", "=Zg=", "Zg==\xff\xff\xff\xff"}) {
    EXPECT_FALSE(decode_base64(text, out)) << text;
  }
}

TEST(Base64, RoundTripsAnyBytes) {
  std::mt19937_64 random(1);
  for (size_t size = 0; size < 200; ++size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(random());
    }
    std::string decoded;
    ASSERT_TRUE(decode_base64(encode(bytes), decoded));
    ASSERT_EQ(decoded, bytes);
  }
}

}  // namespace
}  // namespace retinue::worker
