import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { REPORT_PLACES } from '#schemas/report-places'

// test/cli/commands.test.ts judges the commands of the table, and test/lambdas/mcp/reads.test.ts its tools.

const folder = resolve(import.meta.dirname, '../../dashboard/views')
const viewsThatCall = (endpoint: string) =>
  globSync('*/**/*.{ts,tsx}', { cwd: folder })
    .filter(path => readFileSync(join(folder, path), 'utf8').includes(`'${endpoint}'`))
    .map(path => path.split('/')[0])

test.each(Object.entries(REPORT_PLACES))(
  '%s: its view of the dashboard asks for it',
  (endpoint, { view }) => {
    if (view === null) expect(viewsThatCall(endpoint)).toEqual([])
    else expect(viewsThatCall(endpoint)).toContain(view)
  },
)
