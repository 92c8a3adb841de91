/** Returns a text compressed with gzip, in base64, and its bytes; null: the browser cannot compress. */
export async function compress(text: string): Promise<{ base64: string; bytes: number } | null> {
  if (!('CompressionStream' in globalThis)) return null
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  const blob = await new Response(stream).blob()
  return { base64: await toBase64(blob), bytes: blob.size }
}

function toBase64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve((reader.result as string).split(',', 2)[1] ?? '')
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
}
