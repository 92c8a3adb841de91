import type { SqlQuery } from '#core/ports'
import { numberOf } from '#core/reports/sql/filters'
import { propertyValue } from '#core/reports/sql/property-value'
import { sql } from '#core/sql/sql'
import type { Metric } from './metric.ts'

/**
 * Money: the property `value` of events that may have a `currency` (docs/api/query.md, U116). Numbers of
 * several currencies are never added or compared. A value without a currency is not of a known one.
 */
export const MONEY_KEY = 'value'

/**
 * Characters of a currency that `by_currency` lists. Everybody may send any text as one, and an answer has up
 * to 1,000 of them.
 */
export const MAX_CURRENCY_CHARS = 64

/** The name of the metric that says of which currencies the values of a group are. No response has it. */
const CURRENCIES = 'currencies'

export function isCurrencies({ name }: Pick<Metric, 'name'>): boolean {
  return name === CURRENCIES
}

/** The first and the last currency of the values of a group; equal where there is one. `text`: the value. */
export function currenciesMetric(text: SqlQuery): Metric {
  const currency = propertyValue('currency')
  const [alias, textAlias] = [sql`currency_of_value`, sql`text_of_currency`]
  return {
    name: CURRENCIES,
    rowsOf: 'events',
    fields: [...currency.fields],
    column: {
      alias,
      textAlias,
      text: currency.scalar,
      number: sql`CASE WHEN ${numberOf(text)} IS NOT NULL THEN coalesce(upper(${textAlias}), '') END`,
    },
    aggregates: [sql`min(${alias})`, sql`max(${alias})`],
    read: () => null,
    isAdditive: false,
    needsUsers: false,
    needsSessions: false,
    needsWholeSessions: false,
  }
}
