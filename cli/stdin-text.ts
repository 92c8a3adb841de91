/** What another program sends to this one, to its end. */
export async function stdinText(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
  return text
}
