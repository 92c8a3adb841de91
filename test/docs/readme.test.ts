import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

/** README.md and all that it leads to speak of what is really there. */

const root = resolve(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(resolve(root, path), 'utf8')
const manifest: {
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
} = JSON.parse(text('package.json'))
const pages = globSync(['README.md', 'docs/**/*.md', 'tracker/*.md'], { cwd: root }).map(path => ({
  path,
  page: text(path),
}))

const scriptsIn = (page: string) =>
  [...page.matchAll(/\bnpm (?:run )?((?<=run )[a-z][a-z:-]*|start|test)\b/g)].map(([, script = '']) => script)
/** Folders and files of the repository; `<name>` and `*` stand for any. `aws/lambda/` is a prefix of the bucket. */
const pathsIn = (page: string) =>
  [
    ...page.matchAll(
      /`(?!aws\/lambda\/)((?:schemas|core|duckdb|lambdas|local|aws|lib|bin|tracker|test|bench|rehearsal|cost|docs|scripts)\/[^`\s]*)`/g,
    ),
  ].map(([, path = '']) => path)
const linksIn = (page: string) =>
  [...page.matchAll(/\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]*))?\)/g)].map(([, path = '', anchor]) => ({
    path,
    anchor,
  }))

describe.each(pages)('$path', ({ path, page }) => {
  test('names commands that there are', () => {
    for (const script of scriptsIn(page)) expect(Object.keys(manifest.scripts)).toContain(script)
  })

  test('names folders and files that there are', () => {
    const gone = pathsIn(page).filter(
      named => globSync(named.replace(/<\w+>/g, '*'), { cwd: root }).length === 0,
    )
    expect(gone).toEqual([])
  })

  test('links to pages and sections that there are', () => {
    for (const link of linksIn(page)) {
      const target = resolve(root, link.path === '' ? path : dirname(path), link.path)
      expect(existsSync(target), link.path).toBe(true)
      if (link.anchor !== undefined) expect(anchorsOf(readFileSync(target, 'utf8'))).toContain(link.anchor)
    }
  })
})

test('the checks find what they look for', () => {
  const all = pages.map(({ page }) => page).join('\n')
  expect(pages.length).toBeGreaterThan(10)
  expect(scriptsIn(all).length).toBeGreaterThan(20)
  expect(pathsIn(all).length).toBeGreaterThan(30)
  expect(linksIn(all).length).toBeGreaterThan(12)
})

/** What GitHub makes of the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('the list of dependencies is complete, and has none that is gone', () => {
  const listed = [...text('docs/dependencies.md').matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names]) =>
    [...(names as string).matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  )
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(listed.toSorted()).toEqual(installed.toSorted())
})
