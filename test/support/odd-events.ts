/** An event as a client sends it. `isPublic`: with the public token alone; else with the owner's key. */
export type OddEvent = {
  isPublic?: boolean
  event: string
  user_id: string
  session_id: string
  event_id?: string
  properties: Record<string, unknown> | null
}

const WIDE_KEYS = 800

/**
 * Events with property names that are easily lost on the way: the empty name, a blank, a full stop, emoji,
 * names of columns beside them, names that JSON paths treat as code, 800 of them, and none. Equal users have
 * equal events.
 */
export function oddEvents(user: string): OddEvent[] {
  const wide = Object.fromEntries(Array.from({ length: WIDE_KEYS }, (_, i) => [`k${i}`, i % 10]))
  const sets: (Record<string, unknown> | null)[] = [
    { '': 2 },
    { '': 2, path: '/a' },
    { path: '/a', '': '', title: 't' },
    { ' ': 1, '.': 2, '': 3 },
    { '.': null, '..': [], $: {}, '$.a': 1, '[0]': 2, '"': '"', "'": "'", '\\': '\\' },
    { '🙂': '🙂', '👩‍👩‍👧': 1, é: 'é', '\u0000': '\u0000', '\ufeff': '\ufeff' },
    { '': { '': { '': 1 } }, a: [{ '': null }] },
    { ...wide, '': 2 },
    { '': 2, ...wide, path: '/wide', session_count: 3 },
    { path: '/only', session_count: 1 },
    {},
    null,
  ]
  const session_id = `session-${user}`
  const events = sets.map((properties, i) => ({
    event: `odd_${i}`,
    ...{ user_id: user, session_id, properties },
    ...(i % 2 === 0 && { event_id: `${user}-${i}` }),
  }))
  return [
    ...events,
    ...copies.map(each => ({ ...each, user_id: user, session_id, event_id: `${user}-${each.event}` })),
  ]
}

/** Copies of events, which differ in their properties. Of each event, those that are read say `wins`. */
const copies = [
  { event: 'copied_first', properties: { '': 'wins' } },
  { event: 'copied_first', properties: {} },
  { event: 'copied_public', isPublic: true, properties: { '': 'wins' } },
  { event: 'copied_public', isPublic: true, properties: { ' ': 1 } },
  { event: 'copied_owned', isPublic: true, properties: null },
  { event: 'copied_owned', properties: { '': 'wins' } },
  { event: 'copied_later', properties: { '': 'wins' } },
  { event: 'copied_later', isPublic: true, properties: { '': 2 } },
]

/** The events of a user as reads show them, by name: of copies the one that wins. */
export function shownEvents(user: string): Map<string, Record<string, unknown> | null> {
  const isShown = ({ event, properties }: OddEvent) =>
    !event.startsWith('copied') || Object.values(properties ?? {}).includes('wins')
  return new Map(
    oddEvents(user)
      .filter(isShown)
      .map(({ event, properties }) => [event, properties]),
  )
}
