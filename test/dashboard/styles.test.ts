import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { OPTIONS } from '#dashboard/build'

/** Styles of a view reach only that view. */

const VIEWS = join(import.meta.dirname, '../../dashboard/views')
const files = readdirSync(VIEWS, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.css'))

/** The selectors of a built style sheet, without those of its conditions. */
function selectorsOf(css: string): string[] {
  return [...css.matchAll(/([^{}@]+)\{/g)].flatMap(([, list = '']) => list.split(/,(?![^(]*\))/))
}

test.each(files)('every rule of %s holds below the name of its view', async file => {
  const { splitting: _, entryNames: __, chunkNames: ___, metafile: ____, ...options } = OPTIONS
  const { outputFiles } = await build({ ...options, entryPoints: [join(VIEWS, file)], minify: false })
  const [view] = file.split('/')
  const selectors = selectorsOf(
    (outputFiles[0]?.text ?? '').replace(/\/\*.*?\*\//gs, '').replace(/@media[^{]*\{/g, ''),
  ).map(each => each.trim())
  expect(selectors.length).toBeGreaterThan(1)
  for (const selector of selectors) expect(selector).toContain(`[data-view=${view}]`)
})

test('app.css imports the style of each view', () => {
  const app = readFileSync(join(VIEWS, '../app.css'), 'utf8')
  expect(files.filter(file => !app.includes(`@import "./views/${file}";`))).toEqual([])
})
