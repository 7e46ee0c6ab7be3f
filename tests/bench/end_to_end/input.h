// The input of the end-to-end benchmark: JSON lines of a key and a payload of 64 bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace retinue::bench {

enum class KeyDistribution : uint8_t { kUniform, kZipf };  // Zipf with exponent 1.1

struct InputOptions {
  uint64_t messages = 0;
  uint32_t keys = 100'000;
  KeyDistribution distribution = KeyDistribution::kUniform;
};

// {"key": 123, "payload": "…"} a line; the same lines for the same options.
void write_input(const InputOptions& options, const std::filesystem::path& path);
// The pipeline over such a file: passthrough_source -> count, of `partitions` partitions.
std::string pipeline_spec(const std::filesystem::path& input,
                          const std::filesystem::path& companion, uint32_t partitions,
                          uint32_t batch_rows);

}  // namespace retinue::bench
