import { randomBytes } from 'node:crypto'
import { queryItems } from '#core/state/query-all'
import { type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import { compareText } from '#core/text/compare-text'
import { parseIsoTime, utcDate } from '#core/time'
import { type Annotation, MAX_ANNOTATIONS, type NewAnnotation } from '#schemas/contexts'
import { createRecordItems } from './record-items.ts'

export const annotationsPartition = (projectId: string) => `annotations#${projectId}`

/** Begins the sort key of an annotation; the UTC date and random digits follow. */
const OF_DATE = '-'
/**
 * Earlier versions had numbered places of three hexadecimal digits. OF_DATE sorts before all digits, so the
 * annotations from a date on and those of places are one range of keys.
 */
const FIRST_KEY = OF_DATE
const LAST_KEY = '3ff'
/** The key of an annotation is in its id: by date, and of a place. */
const ID_OF_DATE = /^ann_([0-9]{8}[0-9a-f]{14})$/
const ID_OF_PLACE = /^ann_([0-9a-f]{3})[0-9a-f]{14}$/

/** Dates of keys have four digits of the year. An offset may lead a time out of them. */
const FIRST_TIME = Date.parse('0000-01-01')
const LAST_TIME = Date.parse('9999-12-31')

/**
 * Annotations that are items of their own (U99): each is written and deleted alone, so writers at the same
 * time lose nothing of each other. At most 1,000 a project, each of at most 4 KB. They are keyed by their
 * dates, so a report does not read those before its range.
 */
export function createAnnotations({ client, table }: StateTable) {
  const state = { client, table }
  const { changeAll, remove } = createRecordItems<Annotation>(state, { keyOf, list })

  /**
   * In the order of their times. `since`, Unix ms: those of the UTC date before it and later, and some of
   * earlier times.
   */
  async function list(projectId: string, since?: number): Promise<Annotation[]> {
    const from = since === undefined ? FIRST_KEY : dateKey(since)
    const items = await queryItems(state, annotationsPartition(projectId), from, LAST_KEY)
    return items
      .map(item => JSON.parse(String(item.record)) as Annotation)
      .toSorted((a, b) => compareText(a.occurred_at, b.occurred_at) || compareText(a.id, b.id))
  }

  /**
   * Returns null if the project has as many as it may have. Each is counted after it was written, and removed
   * again if it is one too many. So the bound holds however many requests come at once; of those that take
   * the last places at the same time, some are refused while a place is left.
   */
  async function create(
    projectId: string,
    { occurred_at, title, note }: NewAnnotation,
  ): Promise<Annotation | null> {
    const key = `${dateKey(parseIsoTime(occurred_at))}${randomBytes(7).toString('hex')}`
    const added = {
      occurred_at,
      title,
      ...(note != null && { note }),
      id: `ann_${key.slice(OF_DATE.length)}`,
    }
    const Item = { pk: annotationsPartition(projectId), sk: key, id: added.id, record: JSON.stringify(added) }
    await orUnavailable(client.put({ TableName: table, Item }))
    const all = await queryItems(state, annotationsPartition(projectId), FIRST_KEY, LAST_KEY)
    if (all.length <= MAX_ANNOTATIONS) return added
    await remove(projectId, added.id)
    return null
  }

  return { list, create, changeAll, remove }
}

export type Annotations = ReturnType<typeof createAnnotations>

function dateKey(ms: number): string {
  const date = utcDate(Math.min(Math.max(ms, FIRST_TIME), LAST_TIME))
  return `${OF_DATE}${date.replaceAll('-', '')}`
}

function keyOf(projectId: string, id: string): ItemKey | null {
  const ofDate = ID_OF_DATE.exec(id)?.[1]
  const sk = ofDate === undefined ? ID_OF_PLACE.exec(id)?.[1] : `${OF_DATE}${ofDate}`
  return sk === undefined ? null : { pk: annotationsPartition(projectId), sk }
}
