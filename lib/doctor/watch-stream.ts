import { SECOND_MS } from '#lib/restore/wait'

const TIMEOUT_MS = 20 * SECOND_MS
/** Characters of a stream that are looked through. */
const MAX_TEXT = 100_000

/**
 * Opens GET /stream of a project, calls `send` once it is open, and reads until it shows an event of the
 * name. Resolves with null then, else with what is wrong.
 */
export async function watchStream(
  { url, apiKey }: { url: string; apiKey: string },
  { project, event }: { project: string; event: string },
  send: () => Promise<unknown>,
): Promise<string | null> {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(new Error('no event within 20 s')), TIMEOUT_MS)
  try {
    const response = await fetch(`${url}?project=${project}`, {
      headers: { 'X-API-Key': apiKey },
      signal: abort.signal,
    })
    if (response.status !== 200) return `${response.status} ${(await response.text()).slice(0, 300)}`
    await send()
    let text = ''
    for await (const chunk of response.body ?? []) {
      text = (text + new TextDecoder().decode(chunk)).slice(-MAX_TEXT)
      if (text.includes(`"${event}"`)) return null
    }
    return 'the stream ended before the event'
  } catch (error) {
    return (error as Error).message
  } finally {
    clearTimeout(timer)
    abort.abort()
  }
}
