import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buildBundles } from '#test/faults/bundles/built-bundles'

/** The files of a folder, without the libraries and the browser, which npm has installed. */
function filesOf(folder: string): string[] {
  return readdirSync(folder)
    .filter(name => statSync(join(folder, name)).isFile())
    .toSorted()
}

async function built() {
  const folder = await mkdtemp(join(tmpdir(), 'footfall-bundles-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return buildBundles(folder)
}

test('the same sources give the same bundles, in any folder', async () => {
  const [first, second] = [await built(), await built()]
  for (const [name, bundle] of Object.entries(first)) {
    const other = second[name as keyof typeof second]
    const files = filesOf(bundle.folder)
    expect(files).toContain('index.mjs')
    expect(filesOf(other.folder)).toEqual(files)
    for (const file of files) {
      const [one, again] = [bundle, other].map(({ folder }) => readFileSync(join(folder, file)))
      expect(again?.equals(one as Buffer), `${name}/${file}`).toBe(true)
    }
  }
})
