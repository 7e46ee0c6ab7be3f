// Every bound of Retinue, in one place. The wire's bounds are normative (PROTOCOL.md, "Limits") and
// a Welcome tells them to the companion; the others are defaults that a spec may lower.
#pragma once

#include <cstddef>
#include <cstdint>

namespace retinue::limits {

// --- the wire
inline constexpr size_t kFrameBytesLimit = size_t{64} << 20;
inline constexpr uint32_t kFrameSegmentsLimit = 512;
inline constexpr int kFrameNestingLimit = 64;
inline constexpr size_t kNameBytesLimit = 256;
inline constexpr size_t kErrorTextBytesLimit = size_t{64} << 10;
// Before the Hello is accepted a peer may not make the worker buffer more than this.
inline constexpr size_t kHelloBytesLimit = size_t{1} << 20;

// --- values
inline constexpr size_t kValueBytesLimit = size_t{16} << 20;
inline constexpr size_t kKeyBytesLimit = size_t{16} << 10;
inline constexpr size_t kColumnsLimit = 1024;
inline constexpr uint32_t kRowBatchRowsLimit = uint32_t{1} << 20;
inline constexpr size_t kRowBatchBytesLimit = kFrameBytesLimit;
inline constexpr int kYsonDepthLimit = 256;
inline constexpr size_t kYsonBytesLimit = kValueBytesLimit;

// --- batches
inline constexpr uint32_t kBatchRowsDefault = 1000;
inline constexpr size_t kBatchBytesDefault = size_t{10} << 20;

// --- queues and caches
inline constexpr size_t kInboxBytesDefault = size_t{64} << 20;
inline constexpr size_t kStateCacheBytesDefault = size_t{256} << 20;

// --- dead letters, of one partition
inline constexpr uint64_t kDeadLettersLimit = 100'000;
inline constexpr uint64_t kDeadLetterBytesLimit = uint64_t{1} << 30;

// --- input
inline constexpr size_t kLineBytesLimit = size_t{16} << 20;
// Every committed position of a source carries some bytes for each of its files.
inline constexpr size_t kSourceFilesLimit = 10'000;

// --- specs
inline constexpr size_t kSpecEntriesLimit = 1024;  // of a map or a list
inline constexpr uint32_t kPartitionsLimit = 1024;
inline constexpr uint32_t kCompanionProcessesLimit = 256;

}  // namespace retinue::limits
