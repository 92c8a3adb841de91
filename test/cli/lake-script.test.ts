import { expect, test } from 'vitest'
import { lakeScript } from '#cli/sql/lake-script'

const options = { folder: '/lake', projectId: 'proj_1', hasDialect: false }

test.each([
  ['leads out of the lake', '../../etc/passwd.parquet'],
  ['is absolute', '/etc/passwd.parquet'],
  ['ends a text of SQL', "a'); ATTACH 'x.parquet"],
  ['is no Parquet file', 'hot/epoch=1/a.csv'],
])('a file that %s is refused', (_, file) => {
  expect(() => lakeScript({ events_hot: [file] }, options)).toThrow('another form')
})

test('a project id of another form is refused, and a folder with a quote is quoted', () => {
  expect(() => lakeScript({}, { ...options, projectId: "x' OR 1" })).toThrow('another form')
  const script = lakeScript({ events_hot: ['hot/epoch=1/a.parquet'] }, { ...options, folder: "/it's" })
  expect(script).toContain("'/it''s/hot/epoch=1/a.parquet'")
})
