/** The Parquet file with everything overwritten but its ends, by which a reader knows it and finds its footer. */
export function damaged(file: Uint8Array): Buffer {
  const bytes = Buffer.from(file)
  const footer = 8 + bytes.readUInt32LE(bytes.length - 8)
  return bytes.fill(0xa5, 4, bytes.length - footer)
}
