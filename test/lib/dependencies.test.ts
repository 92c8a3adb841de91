import { expect, test } from 'vitest'
import { type Synthesized, synthesize } from './synthesized.ts'

/** CloudFormation refuses a template whose resources need each other. Emulators do not notice it. */

test.each<[string, Record<string, unknown>]>([
  ['no options', {}],
  ['ingestion by a function URL', { ingestion: 'function-url', concurrency: 1_000 }],
  ['no CloudFront', { edge: false }],
  ['a canary', { rollout: 'canary' }],
  ['a canary of a function URL', { rollout: 'canary', ingestion: 'function-url', concurrency: 1_000 }],
  ['alarms, backups and a dashboard', { alarmEmail: 'ops@example.com', backupDays: 30, dashboard: true }],
])('with %s no resource needs itself, directly or by others', (_, options) => {
  expect(findCircle(synthesize(options).template)).toEqual([])
})

test('a circle is found', () => {
  const resource = (other: string) => ({ Type: 'A', Properties: { Name: { 'Fn::Sub': `\${${other}.Arn}` } } })
  const Resources = { A: resource('B'), B: resource('C'), C: resource('B') }
  expect(findCircle({ Resources, Outputs: {} })).toEqual(['B', 'C', 'B'])
})

/** The ids of resources that need each other, or none. */
function findCircle({ Resources }: Synthesized['template']): string[] {
  const done = new Set<string>()
  function follow(id: string, path: string[]): string[] {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id]
    if (done.has(id)) return []
    for (const other of neededBy(id)) {
      const circle = follow(other, [...path, id])
      if (circle.length > 0) return circle
    }
    done.add(id)
    return []
  }
  function neededBy(id: string): string[] {
    const resource = Resources[id]
    const references = JSON.stringify(resource).matchAll(
      /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"|\$\{(\w+)(?:\.\w+)*\}/g,
    )
    const names = [...references].map(([, reference, substituted]) => reference ?? substituted ?? '')
    return [...names, ...[resource?.DependsOn ?? []].flat()].filter(name => name in Resources)
  }
  for (const id of Object.keys(Resources)) {
    const circle = follow(id, [])
    if (circle.length > 0) return circle
  }
  return []
}
