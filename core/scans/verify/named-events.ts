/** Parameters of reports that are the name of an event. */
const NAMES = ['event', 'goal_event', 'returning_event', 'goal', 'from'] as const
/** Names that are taken of one call. */
const MAX_NAMES = 20

type Asked = Readonly<Record<string, unknown>>

/**
 * The events that a call of a report is about, by its parameters: those that name an event, the steps of a
 * funnel, and filters on the field `event`.
 */
export function namedEvents(query: unknown, body: unknown): string[] {
  const asked = { ...(query as Asked | undefined), ...(body as Asked | undefined) }
  const plain = NAMES.map(name => asked[name])
  const steps = listOf(asked.steps).map(step => (typeof step === 'string' ? step : (step as Asked).event))
  const filters = listOf(asked.filters).flatMap(filter => {
    const { field, property, value } = filter as Asked
    return field === 'event' || property === 'event' ? [value].flat() : []
  })
  return [...plain, ...steps, ...filters].filter(name => typeof name === 'string').slice(0, MAX_NAMES)
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.filter(each => each !== null && each !== undefined) : []
}
