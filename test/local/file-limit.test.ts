import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { connectionsWithin, FileLimitError, readFileLimit } from '#local/file-limit'
import { CAPS } from '#local/http/admission'

test.each([
  [256, 2, 84],
  [1_500, 2, 1_328],
  [1_048_576, 2, CAPS.connections],
  [Number.POSITIVE_INFINITY, 64, CAPS.connections],
  [1_024, 64, 480],
])('a limit of %i files with %i query threads leaves %i connections', (limit, threads, connections) => {
  expect(connectionsWithin(limit, threads)).toBe(connections)
})

test('a limit that leaves too few connections is refused, with what to do', () => {
  expect(() => connectionsWithin(203, 2)).toThrow(FileLimitError)
  expect(() => connectionsWithin(203, 2)).toThrow(
    'The limit of open files is 203, and the service needs at least 204. Raise it',
  )
  expect(connectionsWithin(204, 2)).toBe(32)
})

test.skipIf(process.platform === 'win32')('the limit is that of the process', () => {
  const modules = join(resolve(import.meta.dirname, '../..'), 'local/modules.mjs')
  const code = "import('#local/file-limit').then(({ readFileLimit }) => console.log(readFileLimit()))"
  const command = `ulimit -n 300; exec "$0" --import "$1" -e "$2"`
  const output = execFileSync('sh', ['-c', command, process.execPath, modules, code], {
    cwd: resolve(import.meta.dirname, '../..'),
  })
  expect(Number(output)).toBe(300)
  expect(readFileLimit()).toBeGreaterThan(300)
})
