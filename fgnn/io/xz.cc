#include "fgnn/io/xz.h"

#include <lzma.h>

#include <memory>

#include "fgnn/core/error.h"

namespace fgnn {

std::string unpacked_xz(std::string_view bytes, const std::string& file, std::size_t most) {
  constexpr std::uint64_t kMemory = 256u << 20;  // the dictionary of `xz -9` has 64 MiB
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMemory, LZMA_CONCATENATED) != LZMA_OK) {
    throw Error(ErrorCode::internal, file, "cannot be unpacked: liblzma does not start");
  }
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> end(&stream, lzma_end);
  stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  stream.avail_in = bytes.size();
  std::string text;
  char piece[1 << 14];
  lzma_ret status = LZMA_OK;
  while (status != LZMA_STREAM_END) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(piece);
    stream.avail_out = sizeof piece;
    status = lzma_code(&stream, LZMA_FINISH);
    if (status == LZMA_MEMLIMIT_ERROR) {
      throw Error(ErrorCode::too_large, file, "needs over 256 MiB to be unpacked");
    }
    if (status != LZMA_OK && status != LZMA_STREAM_END) {
      throw Error(ErrorCode::format, file, "is damaged or cut off: xz cannot unpack it",
                  "fetch the file again");
    }
    text.append(piece, sizeof piece - stream.avail_out);
    if (text.size() > most) throw Error(ErrorCode::too_large, file, "is too large unpacked");
  }
  return text;
}

}  // namespace fgnn
