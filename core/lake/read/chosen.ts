import type { SqlQuery } from '#core/ports'
import { join, name, sql, trustedSql } from '#core/sql/sql'
import { textKey } from '#core/sql/text-key'
import type { Chosen, ChosenSet, EventField, Refs } from './lake-read.ts'
import { userKeyOf } from './user-links.ts'

/** What a row has of a session or person. */
export const ID_OF = { session: 'session_id', person: 'user_id' } as const

/** The fields of those rows of `eventsOf` that pass. `eventsOf`: the rows with these fields. */
export function passingEvents(
  { fields: own, condition, sets }: Chosen,
  fields: readonly EventField[],
  eventsOf: (fields: readonly EventField[]) => SqlQuery,
): SqlQuery {
  const rows = eventsOf([...new Set([...fields, ...own, ...sets.map(({ of }) => ID_OF[of])])])
  const columns = fields.length === 0 ? sql`1 AS each_row` : join(fields.map(fieldName), ', ')
  return sql`(SELECT ${columns} FROM ${rows} AS each_event${joinSets(sets, eventRefs)} WHERE ${condition})`
}

/** Joins the sets to rows, which have an id or a key of their session and person as `refOf` says. */
export function joinSets(
  sets: readonly ChosenSet[],
  refOf: (set: ChosenSet) => { refs: Refs; column: SqlQuery },
): SqlQuery {
  const joins = sets.map((set, i) => {
    const { refs, column } = refOf(set)
    const [own, other] = REFS[set.refs][refs]
    const ref = numbered('set_ref', i)
    return sql`
        LEFT JOIN (SELECT ${own(sql`set_ref`)} AS ${ref}, ${join([...set.flags], ', ')} FROM (${set.relation}) AS set_row) AS ${numbered('chosen_set', i)}
          ON ${ref} = ${other(column)}`
  })
  return join(joins, '')
}

const same = (column: SqlQuery) => column

/** How the references of a set and those of other rows become equal for one session or person. */
const REFS = {
  // Comparing hashes takes two thirds of the time of comparing texts.
  ids: { ids: [textKey, textKey], keys: [userKeyOf, same] },
  keys: { ids: [same, userKeyOf], keys: [same, same] },
} as const

/** What a row of events has of a session or person. */
export function eventRefs({ of }: ChosenSet): { refs: Refs; column: SqlQuery } {
  return { refs: 'ids', column: name(ID_OF[of]) }
}

/** Whether the condition reads no field of an event, so that a session or a person passes as a whole. */
export function isOfEntities({ fields }: Chosen): boolean {
  return fields.length === 0
}

/** Whether the condition reads nothing but of whom an event is, so that a person passes with all events. */
export function isOfPeople({ fields, sets }: Chosen): boolean {
  return fields.length === 0 && sets.every(({ of }) => of === 'person')
}

function numbered(text: string, index: number): SqlQuery {
  return trustedSql(`${text}_${index}`)
}

function fieldName(field: EventField): SqlQuery {
  return trustedSql(field)
}
