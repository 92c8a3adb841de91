import { expect, test } from 'vitest'
import { toCsv } from '#dashboard/charts/csv'
import { fileName } from '#dashboard/charts/save'

/** What the dashboard saves as files. */

const lines = (csv: string) => csv.replace('\ufeff', '').split('\r\n')

test('a CSV file begins with the mark of UTF-8, and its heads say the units', () => {
  const csv = toCsv({
    columns: ['Page', 'Rate', 'Duration'],
    units: [undefined, '0 to 1', 'ms'],
    rows: [['/über', 0.5, 1_200]],
  })
  expect(csv).toBe('\ufeffPage,Rate (0 to 1),Duration (ms)\r\n/über,0.5,1200\r\n')
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', ' =1', '＝1', '＋1', '－1', '＠a'])(
  'the text %j is no formula in a spreadsheet',
  text => {
    expect(lines(toCsv({ columns: ['a'], rows: [[text]] }))[1]?.replace(/^"/, '')[0]).toBe("'")
  },
)

test('a head that is a text of visitors is no formula, and a negative number stays a number', () => {
  expect(lines(toCsv({ columns: ['=1'], rows: [[-1]] }))).toEqual(["'=1", '-1', ''])
})

test('quotes, commas and line ends stay in their cell', () => {
  expect(toCsv({ columns: ['a'], rows: [['x,"y"\nz']] })).toBe('\ufeffa\r\n"x,""y""\nz"\r\n')
})

test('the name of a file has the letters of any language, nothing of a path, and fits every disk', () => {
  expect(fileName(['متجر', 'Sessions by source', '2026-11-01-2026-11-30'], 'csv')).toBe(
    'متجر-sessions-by-source-2026-11-01-2026-11-30.csv',
  )
  expect(fileName(['../../etc', 'a/b\\c:d'], 'png')).toBe('etc-a-b-c-d.png')
  expect(fileName(['', undefined], 'csv')).toBe('footfall.csv')
  const long = fileName(['語'.repeat(300), 'x'.repeat(300)], 'csv')
  expect(new TextEncoder().encode(long).length).toBeLessThan(220)
})
