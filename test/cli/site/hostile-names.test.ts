import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { askYes } from '#cli/ask'
import { planText } from '#cli/site/site-plan'
import { TextOutput } from '#test/cli/world'

const NAME = 'a\u001b[2J\u202e\r\n+<script>\u2028.html'
const SHOWN = 'a\\u{1b}[2J\\u{202e}\\u{d}\\u{a}+<script>\\u{2028}.html'

test('the name of a file is one line of the difference, whatever it has', () => {
  const changes = Array.from({ length: 6 }, () => ({ path: NAME, before: 'a', after: 'b' }))
  const lines = planText({ changes }).split('\n')
  expect(lines.slice(0, 4)).toEqual([`--- ${SHOWN}`, `+++ ${SHOWN}`, '-a', '+b'])
  expect(lines.at(-1)).toBe(`The same in ${SHOWN}`)
  expect(lines).toHaveLength(21)
})

test('a question shows the name of a file without characters that change the terminal', async () => {
  const stdout = new TextOutput()
  const stdin = new PassThrough().end('y\n')
  const io = { stdin, stdout, interrupt() {} } as unknown as Parameters<typeof askYes>[0]
  expect(await askYes(io, `Write ${NAME}?`)).toBe(true)
  expect(stdout.text).toBe(`Write ${SHOWN}? [y/N] `)
})
