import { describe, expect, test } from 'vitest'
import { type FunctionName, functions } from '#schemas/functions'
import type { Deployed } from './bundles.test.ts'

const variables = Object.entries(functions).flatMap(([name, { shape }]) =>
  Object.keys(shape).map(variable => [name, variable] as [FunctionName, string]),
)

export function settings(deployed: () => Deployed): void {
  describe('the start of', () => {
    // One of each kind: each takes a process of its own.
    const own = variables.filter(([, variable]) => !variable.startsWith('POWERTOOLS_'))
    const lastOfEach = [...new Map(own).entries()]

    test.each(lastOfEach)('%s fails without %s, and the message names it', async (name, variable) => {
      const start = deployed().world.start(name, { [variable]: undefined })
      await expect(start).rejects.toThrow(
        `The settings of the function ${name} are wrong. ${variable} is not set.`,
      )
    })

    test('jobs fails for a size that is none, and keeps the value out of the message', async () => {
      const start = deployed().world.start('jobs', { COMPACTION_MEMORY_MB: 'plenty' })
      const { message } = await start.then(
        () => new Error('it has started'),
        (error: Error) => error,
      )
      expect(message).toContain('COMPACTION_MEMORY_MB')
      expect(message).not.toContain('plenty')
    })
  })
}
