import { globSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { isMetered, METERED, type Route } from '#schemas/route'
import { errorsOf, pathParameters, routes } from '#schemas/routes'
import { SCOPES } from '#schemas/scopes'

const rows = Object.entries<Route>(routes)

test('each file of schemas/routes/ has the rows of one tag, and the table has all of them', async () => {
  const folder = resolve(import.meta.dirname, '../../schemas/routes')
  const names: string[] = []
  for (const file of globSync('*.ts', { cwd: folder })) {
    const rowsByExport: Record<string, Record<string, Route>> = await import(`${folder}/${file}`)
    for (const [name, route] of Object.values(rowsByExport).flatMap(table => Object.entries(table))) {
      expect(`${route.tag.toLowerCase().replaceAll(' ', '-')}.ts`).toBe(basename(file))
      names.push(name)
    }
  }
  expect(names.toSorted()).toEqual(Object.keys(routes).toSorted())
})

test('no two rows have the same method and path', () => {
  const keys = rows.map(([, route]) => `${route.method} ${route.path}`)
  expect(new Set(keys).size).toBe(keys.length)
})

describe.each(rows)('%s', (name, route) => {
  test('has a path of plain parts and parameters in braces', () => {
    expect(route.path).toMatch(/^\/$|^(\/([\w.-]+|\{\w+\}))+$/)
    expect(new Set(pathParameters(route.path)).size).toBe(pathParameters(route.path).length)
  })

  test('names its project in a part of the request that exists', () => {
    if (route.project === 'path') expect(pathParameters(route.path)).toContain('id')
    if (route.project?.startsWith('query')) expect(route.query).toBeInstanceOf(z.ZodObject)
    if (route.project?.startsWith('body')) expect(route.body).toBeDefined()
    if (route.project || route.scope || isMetered(route)) expect(route.auth).toBe('account')
    // A metered read is of one project, or of all projects of the account.
    if (isMetered(route)) expect(route.project !== undefined || route.path.startsWith('/account/')).toBe(true)
  })

  test('has a scope exactly when an account calls it, or takes some kinds of credentials only', () => {
    // Every credential may end its own session.
    if (name === 'revokeSession') return
    const isLimited = route.scope !== undefined || route.credentials !== undefined
    expect(isLimited).toBe(route.auth === 'account')
    for (const scope of [route.scope ?? []].flat()) expect(SCOPES).toContain(scope)
  })

  test('lists only error codes that do not follow from its other fields', () => {
    const derived = errorsOf({ ...route, errors: [] })
    expect(route.errors.filter(code => derived.includes(code))).toEqual([])
    expect(new Set(route.errors).size).toBe(route.errors.length)
  })

  test('may be UNAVAILABLE exactly when its function uses the state table', () => {
    expect(errorsOf(route).includes('UNAVAILABLE')).toBe(route.function !== 'site')
  })

  test('has at least one success response', () => {
    const statuses = Object.keys(route.responses).map(Number)
    expect(statuses.length).toBeGreaterThan(0)
    // A poll of a dead request, and a message of MCP that is refused, have bodies of their own.
    for (const status of statuses) expect(String(status)).toMatch(/^2\d\d$|^4[01]0$/)
    expect(statuses.some(status => status < 300)).toBe(true)
  })
})

test('each read of reports and streams counts by the minute and by the month', () => {
  const reads = rows.filter(([, { function: name }]) => ['reports', 'stream'].includes(name))
  expect(reads.length).toBeGreaterThan(20)
  const others = reads.filter(([, { limits = [] }]) => !METERED.every(limit => limits.includes(limit)))
  // An erasure is no read. The others belong to something else that is counted, or is a page of the owner.
  const known = ['erasePerson', 'readExperiment', 'reads', 'updateExperiment', 'verifyScan', 'viewEvents']
  expect(others.map(([name]) => name).toSorted()).toEqual(known)
})

test('only reports, streams and new exports may be RATE_LIMITED', () => {
  const limited = rows.filter(
    // Session endpoints have guards by address, ingestion has caps.
    ([, route]) =>
      !['auth', 'track', 'replay'].includes(route.function) && errorsOf(route).includes('RATE_LIMITED'),
  )
  const isLimited = ([name, route]: (typeof rows)[number]) =>
    ['reports', 'stream'].includes(route.function) || name === 'createExport'
  expect(limited).toEqual(rows.filter(isLimited))
})
