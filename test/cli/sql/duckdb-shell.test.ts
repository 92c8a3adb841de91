import { expect, test } from 'vitest'
import type { Io } from '#cli/io'
import { runDuckdb } from '#cli/sql/duckdb-shell'
import { escapedText } from '#core/text/clean-text'
import { TextOutput } from '#test/cli/world'

test.each([
  ['a\r\nb\r\n', 'a\r\nb\r\n'],
  ['é😀\u202e\u001b[2J\n', 'é😀\\u{202e}\\u{1b}[2J\n'],
  ['a\rb\r', 'a\\u{d}b\\u{d}'],
  ['\r\r\n', '\\u{d}\r\n'],
])('%j that comes byte by byte is shown as %j', async (written, shown) => {
  const [stdout, stderr] = [new TextOutput(), new TextOutput()]
  const handOver: Io['handOver'] = async (_program, _words, output) => {
    for (const byte of Buffer.from(written))
      for (const stream of [output?.stdout, output?.stderr]) stream?.write(Buffer.from([byte]))
    return 3
  }
  const io = { stdout, stderr, handOver } as unknown as Io
  expect(await runDuckdb(io, '', [], escapedText)).toBe(3)
  expect({ stdout: stdout.text, stderr: stderr.text }).toEqual({ stdout: shown, stderr: shown })
})

test('an error of the start of DuckDB is passed on', async () => {
  const [stdout, stderr] = [new TextOutput(), new TextOutput()]
  const handOver = () => Promise.reject(new Error('ENOENT'))
  const io = { stdout, stderr, handOver } as unknown as Io
  await expect(runDuckdb(io, '', [], escapedText)).rejects.toThrow('ENOENT')
})
