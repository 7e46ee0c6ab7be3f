#include "worker/log/printable.h"

#include <gtest/gtest.h>

namespace retinue::worker {
namespace {

TEST(Printable, LeavesTextAlone) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("a\tb \"c\" \\x"), "a\tb \"c\" \\x");
  EXPECT_EQ(printable("größe ✓ 😀 \xc2\xa0"), "größe ✓ 😀 \xc2\xa0");
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[31mred\r\x7f"), "\\x1b[31mred\\x0d\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\x9b2J");  // the one-byte form of ESC [
}

TEST(Printable, IndentsFurtherLines) {
  EXPECT_EQ(printable("Traceback:\n2026-01-01 forged"), "Traceback:\n    2026-01-01 forged");
}

TEST(Printable, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\ufffdb");
  EXPECT_EQ(valid_utf8("\x80\x1b\n"), "\ufffd\x1b\n");
  EXPECT_EQ(valid_utf8("\xc3"), "\ufffd");                                // cut
  EXPECT_EQ(valid_utf8("\xc0\x80"), "\ufffd\ufffd");                      // overlong
  EXPECT_EQ(valid_utf8("\xe0\x9f\xbf"), "\ufffd\ufffd\ufffd");            // overlong
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");            // a surrogate
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");  // over U+10FFFF
  EXPECT_EQ(valid_utf8("\xe2\x9c\x93\xe2\x28\xa1"), "✓\ufffd(\ufffd");
}

}  // namespace
}  // namespace retinue::worker
