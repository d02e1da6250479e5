#include "fgnn/io/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "fgnn/core/error.h"
#include "fgnn/io/read_text.h"
#include "fgnn/io/xz.h"

namespace fgnn {

std::string unpacked(std::string bytes, const std::string& file, std::size_t most) {
  if (bytes.starts_with(kXzMagic)) return unpacked_xz(bytes, file, most);
  if (!bytes.starts_with("\x1f\x8b")) return bytes;
  z_stream stream{};
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) {
    throw Error(ErrorCode::internal, file, "cannot be unpacked: zlib does not start");
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  char piece[1 << 14];
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) {
      throw Error(ErrorCode::format, file, "is damaged or cut off: gzip cannot unpack it",
                  "download the file again");
    }
    text.append(piece, sizeof piece - stream.avail_out);
    if (text.size() > most) throw Error(ErrorCode::too_large, file, "is too large unpacked");
    // A packed file may have several members, one after another.
    if (status == Z_STREAM_END && stream.avail_in > 0) {
      if (inflateReset(&stream) != Z_OK) break;
      status = Z_OK;
    }
  }
  return text;
}

std::string read_packed_text(const std::filesystem::path& file) {
  return unpacked(read_text(file), file.string());
}

}  // namespace fgnn
