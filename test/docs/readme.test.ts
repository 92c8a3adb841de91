import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { statsResponse } from '#schemas/stats'
import { readmeStats } from '#test/support/readme-stats'
import { anchorsOf } from './anchors.ts'

/** The documents name commands, files, sections and packages. These tests check that they exist. */

const root = resolve(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(resolve(root, path), 'utf8')
const manifest: {
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
} = JSON.parse(text('package.json'))
const pages = globSync(
  [
    '*.md',
    'docs/**/*.md',
    '{aws,bench,cli,core,cost,duckdb,lambdas,lib,local,providers,rehearsal,scanner,schemas,test,tracker}/**/*.md',
  ],
  {
    cwd: root,
  },
).map(path => ({
  path,
  page: text(path),
}))

const scriptsIn = (page: string) =>
  [...page.matchAll(/\bnpm (?:run )?((?<=run )[a-z][a-z:-]*|start|test)\b/g)].map(([, script = '']) => script)
/**
 * Paths of the repository in a page. `<name>` and `*` match any name. `aws/lambda/` is a prefix of the S3
 * bucket.
 */
const pathsIn = (page: string) =>
  [
    ...page.matchAll(
      /`(?!aws\/lambda\/)((?:schemas|core|scanner|duckdb|lambdas|local|aws|lib|bin|cli|providers|tracker|test|bench|rehearsal|cost|docs|scripts)\/[^`\s]*)`/g,
    ),
  ].map(([, path = '']) => path)
const linksIn = (page: string) =>
  [...page.matchAll(/\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]*))?\)/g)].map(([, path = '', anchor]) => ({
    path,
    anchor,
  }))

describe.each(pages)('$path', ({ path, page }) => {
  test('all npm scripts exist', () => {
    for (const script of scriptsIn(page)) expect(Object.keys(manifest.scripts)).toContain(script)
  })

  test('all paths exist', () => {
    const missingPaths = pathsIn(page).filter(
      path => globSync(path.replace(/<\w+>/g, '*'), { cwd: root }).length === 0,
    )
    expect(missingPaths).toEqual([])
  })

  test('all linked pages and sections exist', () => {
    for (const link of linksIn(page)) {
      const target = resolve(root, link.path === '' ? path : dirname(path), link.path)
      expect(existsSync(target), link.path).toBe(true)
      if (link.anchor !== undefined) expect(anchorsOf(readFileSync(target, 'utf8'))).toContain(link.anchor)
    }
  })
})

test('the documents have enough scripts, paths and links for these checks to work', () => {
  const allText = pages.map(({ page }) => page).join('\n')
  expect(pages.length).toBeGreaterThan(10)
  expect(scriptsIn(allText).length).toBeGreaterThan(20)
  expect(pathsIn(allText).length).toBeGreaterThan(30)
  expect(linksIn(allText).length).toBeGreaterThan(12)
})

test('README.md names every folder', () => {
  const folders = (pattern: string) =>
    globSync(pattern, { cwd: root, withFileTypes: true, exclude: ['node_modules', 'cdk.out', 'build'] })
      .filter(entry => entry.isDirectory())
      .map(({ name }) => name)
  const readme = text('README.md')
  const topFolders = folders('*')
  expect(topFolders.length).toBeGreaterThan(12)
  expect(topFolders.filter(name => !readme.includes(`\`${name}/\``))).toEqual([])
})

test('every decision has a date and a status, and one that was replaced says by what', () => {
  const decisions = pages.filter(({ path }) => path.startsWith('docs/decisions/'))
  expect(decisions.length).toBeGreaterThan(20)
  for (const { path, page } of decisions) {
    const [, title = '', status = ''] = /^# (.+)\n\n\*\*Status:\*\* ([\s\S]+?)\n\n/.exec(page) ?? []
    expect(title, path).toMatch(/\(\d{4}-\d{2}-\d{2}(, .*)?\)$/)
    expect(status, path).toMatch(/^(in force|replaced|not taken)\b/)
    if (status.includes('is replaced') || status.startsWith('replaced'))
      expect(status, path).toMatch(/\]\([\w-]+\.md\)/)
  }
})

test('the response in README.md has the shape of GET /stats', () => {
  const example = readmeStats()
  expect(statsResponse.strict().parse(example)).toEqual(example)
})

test('docs/dependencies.md lists exactly the installed packages', () => {
  const listedPackages = [...text('docs/dependencies.md').matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names]) =>
    [...(names as string).matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  )
  const installedPackages = Object.keys({
    ...JSON.parse(text('service/package.json')).dependencies,
    ...manifest.devDependencies,
  })
  expect(listedPackages.toSorted()).toEqual(installedPackages.toSorted())
})
