import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type LastingResources, lastingResources } from './lasting-resources.ts'
import { synthesize } from './synthesized.ts'

/**
 * An update of a deployed stack to the template of today. CloudFormation replaces a resource whose logical
 * id, type or fixed property changes, by an empty one. It cannot create one under a fixed name that another
 * resource of the stack still has, so the update fails.
 */

type RecordedStack = { options: Record<string, unknown>; resources: LastingResources }

/** Stacks of earlier commits, by commit (test/fixtures/write-stack.ts). */
const STACKS = resolve(import.meta.dirname, '../fixtures/stacks')
const stacks = readdirSync(STACKS).map((file): [string, RecordedStack] => [
  file.replace('.json', ''),
  JSON.parse(readFileSync(join(STACKS, file), 'utf8')),
])

describe.each(stacks)('an update from %s', (_, { options, resources: before }) => {
  const now = lastingResources(synthesize(options))

  test('replaces or deletes nothing that has data, an address or a subscription', () => {
    expect(differences(before, now)).toEqual([])
  })

  test('gives no fixed name to a resource with another id', () => {
    expect(movedNames(before, now)).toEqual([])
  })
})

/** Recorded resources that today's template would replace or delete. */
function differences(before: LastingResources, now: LastingResources): string[] {
  return Object.entries(before).flatMap(([id, recorded]) => {
    const [was, is] = [JSON.stringify(recorded), JSON.stringify(now[id])]
    return was === is ? [] : [`${id}: ${was} is ${is ?? 'gone'}`]
  })
}

/** Resources of today that have the fixed properties of a recorded one under another id. */
function movedNames(before: LastingResources, now: LastingResources): string[] {
  const named = (resources: LastingResources) =>
    Object.entries(resources).flatMap(([id, { type, fixed }]) =>
      Object.keys(fixed).some(name => /Name$/.test(name)) ? [{ id, key: JSON.stringify([type, fixed]) }] : [],
    )
  const idsBefore = new Map(named(before).map(({ id, key }) => [key, id]))
  return named(now)
    .filter(({ id, key }) => (idsBefore.get(key) ?? id) !== id)
    .map(({ id, key }) => `${id} has the name of ${idsBefore.get(key)}: ${key}`)
}

const table = (fixed: Record<string, unknown>) => ({ type: 'AWS::DynamoDB::Table', fixed })
const key = [{ AttributeName: 'pk', KeyType: 'HASH' }]

test('a changed key, a resource that is gone and one under another id are found', () => {
  const before = { State: table({ KeySchema: key }) }
  expect(differences(before, { State: table({ KeySchema: key }) })).toEqual([])
  expect(differences(before, { State: table({ KeySchema: [] }) })).toHaveLength(1)
  expect(differences(before, { State: table({ KeySchema: key, TableName: 'a' }) })).toHaveLength(1)
  expect(differences(before, { Other: table({ KeySchema: key }) })).toEqual([
    expect.stringMatching(/is gone$/),
  ])
  const named = { State: table({ TableName: 'a' }) }
  expect(movedNames(named, named)).toEqual([])
  expect(movedNames(named, { Other: table({ TableName: 'a' }) })).toHaveLength(1)
  expect(movedNames(named, { Other: table({ TableName: 'b' }) })).toEqual([])
})
