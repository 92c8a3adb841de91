import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { watchCode } from '#local/watch/code-watch'
import { eventually } from '#test/support/eventually'

test.each(['node_modules/.package-lock.json', '.git/logs/HEAD', 'package.json'])(
  'a service notices once that %s was replaced, or is gone, under it',
  async file => {
    const root = mkdtempSync(join(tmpdir(), 'footfall-code-'))
    for (const folder of ['node_modules', '.git/logs']) mkdirSync(join(root, folder), { recursive: true })
    for (const each of ['node_modules/.package-lock.json', '.git/logs/HEAD', 'package.json'])
      writeFileSync(join(root, each), 'one')
    const lines: unknown[] = []
    let looks = 0
    const watch = watchCode((code, fields) => void lines.push([code, fields]), { root, pauseMs: 1 })
    onTestFinished(() => {
      watch.stop()
      rmSync(root, { recursive: true })
    })
    const other = setInterval(() => {
      looks += 1
    }, 1)
    onTestFinished(() => clearInterval(other))
    await eventually(() => expect(looks).toBeGreaterThan(10))
    expect(lines).toEqual([])
    rmSync(join(root, file))
    await eventually(() => expect(lines).toEqual([['CODE_CHANGED', { folder: root }]]))
    writeFileSync(join(root, file), 'another')
    const before = looks
    await eventually(() => expect(looks).toBeGreaterThan(before + 10))
    expect(lines).toHaveLength(1)
  },
)
