import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { buildDashboard } from '#dashboard/build'

const [FIRST_VIEW_BYTES, ALL_BYTES] = [60 * 1024, 150 * 1024]

test('the scripts of each view fit 60 KB with gzip, and all scripts 150 KB', async () => {
  const { files, entry } = await buildDashboard()
  const size = (name: string) => gzipSync(files[name]?.text ?? '', { level: 9 }).length
  const scripts = Object.keys(files).filter(name => name.endsWith('.js'))
  expect(Object.keys(entry.views)).toContain('overview')
  for (const [view, names] of Object.entries(entry.views)) {
    const bytes = [entry.script, ...names].reduce((sum, name) => sum + size(name), 0)
    expect(bytes, view).toBeGreaterThan(1_000)
    expect(bytes, view).toBeLessThan(FIRST_VIEW_BYTES)
  }
  expect(scripts.reduce((sum, name) => sum + size(name), 0)).toBeLessThan(ALL_BYTES)
})

test('two builds of the same sources are the same, and no file names another host', async () => {
  const [first, second] = await Promise.all([buildDashboard(), buildDashboard()])
  expect(first).toEqual(second)
  for (const { text } of Object.values(first.files)) {
    expect(text.match(/https?:\/\/(?!www\.w3\.org\/)[\w.-]+/g) ?? []).toEqual([])
  }
})
