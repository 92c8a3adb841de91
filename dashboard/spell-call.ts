import { optionOf, REPORT_PLACES } from '#schemas/report-places'
import { addressOf, type Call } from './api.ts'

/** A call as a person would type it, to get the same number outside of the dashboard. */

/** The line of curl that sends the request, with the reader's own key. */
export function asCurl(each: Call, origin: string): string {
  const start = `curl -H "X-API-Key: $FOOTFALL_API_KEY"`
  if (each.method === 'GET') return `${start} ${quoted(`${origin}${addressOf(each)}`)}`
  return `${start} ${quoted(`${origin}${each.path}`)} -d ${quoted(JSON.stringify(each.values))}`
}

/** The command of `footfall` that sends the same request; null: there is none. */
export function asCommand(each: Call): string | null {
  const places: Record<string, { command: string | null }> = REPORT_PLACES
  const command = places[each.endpoint]?.command ?? null
  if (command === null) return null
  const { project, ...values } = each.values as Record<string, unknown>
  const argument = each.endpoint.endsWith('}')
    ? decodeURIComponent(each.path.split('/').at(-1) ?? '')
    : project
  const words = Object.entries(values).flatMap(([name, value]) => optionsOf(name, value))
  return ['footfall', command, ...(argument === undefined ? [] : [quoted(String(argument))]), ...words].join(
    ' ',
  )
}

/**
 * The words of an option. One that may be repeated stands once for each filter, and a switch has no value.
 */
function optionsOf(name: string, value: unknown): string[] {
  const option = optionOf(name)
  if (name === 'filters') return (value as unknown[]).flatMap(each => [option, quoted(JSON.stringify(each))])
  if (typeof value === 'boolean') return value ? [option] : []
  return Array.isArray(value) && value.length === 0 ? [] : [option, quoted(wordOf(value))]
}

/** A list of texts has commas, and anything else that is no text is JSON. */
function wordOf(value: unknown): string {
  const isPlain = typeof value !== 'object' || (Array.isArray(value) && typeof value[0] !== 'object')
  return isPlain ? String(value) : JSON.stringify(value)
}

/** A word of a shell. */
function quoted(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
