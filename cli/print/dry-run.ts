import type { Call } from '#cli/http/endpoint'
import type { Session } from '#cli/run-context'
import type { Block, Cell } from './blocks.ts'

/** What a changing command would send; nothing is sent. `more`: what else it would do. */
export function printCall(
  { endpoint, path, query, body }: Call,
  { print }: Session,
  blocks: readonly Block[] = [],
  more: object = {},
): void {
  const facts = Object.entries({ ...path, ...query, ...body }).filter(([, value]) => value !== undefined)
  print(
    [
      {
        kind: 'facts',
        facts: [['Would send', endpoint], ...facts.map(([name, value]) => [name, value as Cell] as const)],
      },
      ...blocks,
    ],
    JSON.stringify({ dry_run: true, request: { endpoint, path, query, body }, ...more }),
  )
}
