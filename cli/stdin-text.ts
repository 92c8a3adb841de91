import type { Input } from './io.ts'

/** What another program sends to this one, to its end. */
export async function stdinText(stdin: Input): Promise<string> {
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) text += chunk
  return text
}
