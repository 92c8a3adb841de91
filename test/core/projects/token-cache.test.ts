import { beforeEach, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { createTokenCache } from '#core/projects/token-cache'
import { testProject } from '#test/support/account-fixtures'

const project = testProject()

let now = 0
let lookUps: string[] = []
let stored: Project | null = project
beforeEach(() => {
  now = 0
  lookUps = []
  stored = project
})

function cacheOf(lookUp: (token: string) => Promise<Project | null> = async () => stored) {
  return createTokenCache({ now: () => now }, token => {
    lookUps.push(token)
    return lookUp(token)
  })
}

test('a token is looked up once in five seconds, also for requests at the same time', async () => {
  const cache = cacheOf()
  expect(await Promise.all([cache.byToken('t'), cache.byToken('t')])).toEqual([project, project])
  now = 4_999
  await cache.byToken('t')
  expect(lookUps).toEqual(['t'])
  now = 5_000
  await cache.byToken('t')
  expect(lookUps).toEqual(['t', 't'])
})

test('an unknown token is looked up again after a second', async () => {
  const cache = cacheOf()
  stored = null
  expect(await cache.byToken('t')).toBeNull()
  await cache.byToken('t')
  expect(lookUps).toHaveLength(1)
  stored = project
  now = 1_000
  expect(await cache.byToken('t')).toEqual(project)
})

test('a forgotten token is looked up again at once, also when its first look-up is under way', async () => {
  const resolvers: ((project: Project | null) => void)[] = []
  const cache = cacheOf(() => new Promise(resolve => resolvers.push(resolve)))
  const before = cache.byToken('t')
  cache.forget('t')
  const after = cache.byToken('t')
  resolvers[0]?.(project)
  resolvers[1]?.(null)
  expect(await before).toEqual(project)
  expect(await after).toBeNull()
  expect(await cache.byToken('t')).toBeNull()
  expect(lookUps).toHaveLength(2)
})

test('a failed look-up is not cached', async () => {
  let fails = true
  const cache = cacheOf(async () => {
    if (fails) throw new Error('no response')
    return project
  })
  await expect(cache.byToken('t')).rejects.toThrow('no response')
  fails = false
  expect(await cache.byToken('t')).toEqual(project)
})

test('invented tokens do not push a real token out of the cache', async () => {
  const cache = cacheOf(async token => (token === 't' ? project : null))
  await cache.byToken('t')
  for (let i = 0; i < 50_000; i++) await cache.byToken(`invented-${i}`)
  await cache.byToken('t')
  expect(lookUps.filter(token => token === 't')).toHaveLength(1)
})
