import { queryItems } from '#core/state/query-all'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS, utcDate } from '#core/time'
import { REFUSAL_REASONS, type RefusalReason } from '#schemas/refusals'

/** What was refused for one reason: since the last write, or in all days that are read. */
export type Refused = {
  /** Events and identify requests. */
  events: number
  /** When the newest was refused, Unix ms. */
  at: number
  /** Details of the newest one, such as the origin that was refused; null: none. */
  last: string | null
}

/** What a project was refused for one reason; `hours` by their start, Unix ms, in ascending order. */
export type RefusedByHour = Refused & { reason: RefusalReason; hours: [start: number, events: number][] }

/** Days that are read, this one included: a week shows what began at the last release of a site. */
const DAYS = 7
/** How long an item stays after its day, so that no clock finds a day without its counts. */
const KEPT_MS = (DAYS + 1) * DAY_MS
const HOUR_MS = 3_600_000
/** Most characters of `last`, which senders may choose: an origin has 300, a message fewer than 400. */
const MAX_LAST_CHARS = 400

const reasons = Object.keys(REFUSAL_REASONS) as RefusalReason[]

/**
 * Counts what ingestion refuses, by project, reason and hour (U113). One item a project and day has a number
 * for each reason and hour, and one text for each reason: 10 KB at most, whatever senders do. A write adds to
 * it and reads nothing. A write that is repeated after a failure may count twice.
 */
export function createRefusalStore(state: StateTable) {
  /** Adds what one project was refused in one hour that starts at `hour`, Unix ms. Throws UNAVAILABLE. */
  async function add(
    projectId: string,
    hour: number,
    refused: ReadonlyMap<RefusalReason, Refused>,
  ): Promise<void> {
    const each = [...refused].map(([reason, { events, at, last }], i) => ({
      names: { [`#c${i}`]: countName(reason, hour), [`#l${i}`]: lastName(reason) },
      values: {
        [`:c${i}`]: events,
        [`:l${i}`]: JSON.stringify([at, last?.slice(0, MAX_LAST_CHARS) ?? null]),
      },
    }))
    const list = (part: (i: number) => string) => each.map((_, i) => part(i)).join(', ')
    await orUnavailable(
      state.client.update({
        TableName: state.table,
        Key: { pk: partitionOf(projectId), sk: utcDate(hour) },
        UpdateExpression: `ADD ${list(i => `#c${i} :c${i}`)} SET ${list(i => `#l${i} = :l${i}`)}, #expires = :expires`,
        ExpressionAttributeNames: Object.assign(
          { '#expires': 'expires_at' },
          ...each.map(({ names }) => names),
        ),
        ExpressionAttributeValues: Object.assign(
          { ':expires': Math.ceil((hour + KEPT_MS) / 1_000) },
          ...each.map(({ values }) => values),
        ),
      }),
    )
  }

  /**
   * What a project was refused in the last DAYS before `now`, Unix ms; the reason that was seen last first.
   */
  async function read(projectId: string, now: number): Promise<RefusedByHour[]> {
    const from = utcDate(now - (DAYS - 1) * DAY_MS)
    const items = await queryItems(state, partitionOf(projectId), from, utcDate(now))
    return reasons
      .flatMap(reason => {
        const hours = items.flatMap(item => hoursOf(item, reason))
        const last = items.map(item => item[lastName(reason)]).findLast(text => text !== undefined)
        if (last === undefined) return []
        const [at, text] = JSON.parse(String(last)) as [number, string | null]
        const events = hours.reduce((sum, [, count]) => sum + count, 0)
        const isRecent = ([start]: [number, number]) => start > now - DAY_MS
        return { reason, events, at, last: text, hours: hours.filter(isRecent) }
      })
      .toSorted((a, b) => b.at - a.at)
  }

  return { add, read }
}

export type RefusalStore = ReturnType<typeof createRefusalStore>

/** The start of the hour of a time, Unix ms. */
export function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS
}

function partitionOf(projectId: string): string {
  return `refusals#${projectId}`
}

function countName(reason: RefusalReason, hour: number): string {
  return `${reason}_${Math.floor((hour % DAY_MS) / HOUR_MS)}`
}

function lastName(reason: RefusalReason): string {
  return `last_${reason}`
}

function hoursOf(item: Record<string, unknown>, reason: RefusalReason): [number, number][] {
  const day = Date.parse(String(item.sk))
  return Array.from({ length: 24 }, (_, i) => day + i * HOUR_MS).flatMap(start => {
    const events = item[countName(reason, start)]
    return events === undefined ? [] : [[start, Number(events)] satisfies [number, number]]
  })
}
