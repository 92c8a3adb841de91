import type { EventField } from '#core/lake/read/lake-read'
import type { SqlQuery } from '#core/ports'
import { name } from '#core/sql/sql'
import { bareKey, textFieldOf } from '#schemas/property-names'
import { type FilterField, textField } from './filters.ts'
import { propertyValue } from './property-value.ts'

/** A value of an event: the fields that it reads, as text, and as filters compare it. */
type NamedValue = { fields: EventField[]; text: SqlQuery; filterField: FilterField }

/** The value that a name means (U90): `country` is that of the event, `properties.country` the property. */
export function namedValue(named: string): NamedValue {
  const field = textFieldOf(named)
  if (field === undefined) return propertyValue(bareKey(named))
  return { fields: [field], text: name(field), filterField: textField(name(field)) }
}
