/**
 * Overwrites the data of a Parquet file. Its magic bytes and footer stay, so a reader finds the damage only
 * in the data.
 */
export function damageParquet(file: Uint8Array): Buffer {
  const bytes = Buffer.from(file)
  const footer = 8 + bytes.readUInt32LE(bytes.length - 8)
  return bytes.fill(0xa5, 4, bytes.length - footer)
}
