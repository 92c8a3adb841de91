import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { REPORT_PLACES } from '#schemas/report-places'
import { isMetered, type Route } from '#schemas/route'
import { routes } from '#schemas/routes'

/** Which reads the tools call, by the text of the tools. */

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(resolve(root, path), 'utf8')
const tools = globSync('lambdas/mcp/tools/*.ts', { cwd: root }).map(read)
const called = new Set(tools.flatMap(text => [...text.matchAll(/\bcall\('(\w+)'/g)].map(([, name]) => name)))
const reads = Object.entries<Route>(routes).filter(([, route]) => isMetered(route))

/** Reads that no tool calls, and what answers the question in their place. */
const OTHERWISE: Record<string, string> = {
  events: 'eventsByBody',
  eventsLookup: 'eventsByBody',
  journey: 'journeyByBody',
  journeyLookup: 'journeyByBody',
  breakdown: '`query` groups by any property',
  insights: '`changes` compares two periods',
  accountBotTraffic: '`query` with report=bots, project by project',
  stream: 'a tool answers once: `query` with report=live',
}

test('every read has a tool, or something else that answers its question', () => {
  const others = reads.map(([name]) => name).filter(name => !called.has(name))
  expect(others.toSorted()).toEqual(Object.keys(OTHERWISE).toSorted())
})

test('docs/api/mcp.md names every read in the row of its tool', () => {
  const rows = new Map(
    [...read('docs/api/mcp.md').matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, tool, paths]) => [
      tool,
      paths,
    ]),
  )
  const callers = reads
    .filter(([name]) => called.has(name))
    .map(([, { method, path }]) => ({ path, name: `${method} ${path}` }))
  const places: Record<string, { tool: string }> = REPORT_PLACES
  expect(callers.filter(({ path, name }) => !rows.get(places[name]?.tool)?.includes(`\`${path}\``))).toEqual(
    [],
  )
})
