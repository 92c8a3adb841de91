import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { ASKED_COLUMNS } from '#core/lake/read/session-rule'
import { nameSources } from '#core/reports/sources/name-sources'
import { dialect } from '#duckdb/macros'
import { oracleSource } from '#test/support/oracle/sources'
import { LABELLED } from './labelled.ts'

type Triple = { referrer: string; utm_source: string; utm_medium: string; click_id: string }
const NOTHING: Triple = { referrer: '', utm_source: '', utm_medium: '', click_id: '' }
const OWN = { hosts: ['shop.example'], rules: [] }

const triples = LABELLED.flatMap(({ channel, from = '', tagged = '', clicks = '' }) => {
  const words = (text: string) => text.split(' ').filter(word => word !== '')
  const all: Triple[] = [
    ...words(from).map(host => ({ ...NOTHING, referrer: `https://${host}/some/page` })),
    ...words(tagged).flatMap(word => {
      const [sources = '', mediums = ''] = word.split('/')
      return sources
        .split(',')
        .flatMap(utm_source => mediums.split(',').map(utm_medium => ({ ...NOTHING, utm_source, utm_medium })))
    }),
    ...words(clicks).map(word => {
      const [click_id = '', utm_source = '', utm_medium = ''] = word.split('/')
      return { ...NOTHING, click_id, utm_source, utm_medium }
    }),
  ]
  return all.map(triple => ({ triple, channel }))
})

test('each labelled visit has its channel, in SQL and by the oracle', async () => {
  expect(triples.length).toBeGreaterThanOrEqual(400)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  for (const setting of dialect) await connection.run(setting)
  const columns = ['has_page', 'place', ...ASKED_COLUMNS]
  const rows = triples.map(({ triple }, place) => {
    const asked: Record<string, string | number> = {
      ...triple,
      hostname: 'www.shop.example',
      has_page: 1,
      place,
    }
    return `(${columns.map(column => (typeof asked[column] === 'number' ? asked[column] : `'${asked[column] ?? ''}'`)).join(', ')})`
  })
  const asked = {
    text: `(SELECT * FROM (VALUES ${rows.join(', ')}) AS visit(${columns.join(', ')}))`,
    params: [],
  }
  const { text, params } = nameSources(asked, OWN)
  const result = await connection.runAndReadAll(
    `SELECT place, channel FROM ${text} AS named ORDER BY place`,
    params as string[],
  )
  const named = result.getRowObjects().map(({ channel }) => channel)
  const wrong = triples.filter(({ channel }, i) => named[i] !== channel)
  expect(
    wrong.map(({ triple, channel }) => [
      channel,
      named[triples.findIndex(each => each.triple === triple)],
      triple,
    ]),
  ).toEqual([])
  const byOracle = triples.filter(({ triple, channel }) => oracleSource(triple, OWN).channel !== channel)
  expect(byOracle).toEqual([])
  connection.closeSync()
  instance.closeSync()
})
