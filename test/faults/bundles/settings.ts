import { describe, expect, test } from 'vitest'
import { type FunctionName, functions } from '#schemas/functions'
import type { Deployed } from './deployed.ts'

const variables = Object.entries(functions).flatMap(([name, { shape }]) =>
  Object.keys(shape).map(variable => [name, variable] as [FunctionName, string]),
)

export function settings(deployed: () => Deployed): void {
  describe('the start of', () => {
    // One variable of each function: each test starts a process.
    const ownVariables = variables.filter(([, variable]) => !variable.startsWith('POWERTOOLS_'))
    const oneOfEachFunction = [...new Map(ownVariables).entries()]

    test.each(oneOfEachFunction)('%s fails without %s, and the message names it', async (name, variable) => {
      const start = deployed().service.start(name, { [variable]: undefined })
      await expect(start).rejects.toThrow(
        `The settings of the function ${name} are wrong. ${variable} is not set.`,
      )
    })

    test('jobs fails for an invalid memory size, and the message does not repeat the value', async () => {
      const start = deployed().service.start('jobs', { COMPACTION_MEMORY_MB: 'plenty' })
      const { message } = await start.then(
        () => new Error('the function started'),
        (error: Error) => error,
      )
      expect(message).toContain('COMPACTION_MEMORY_MB')
      expect(message).not.toContain('plenty')
    })
  })
}
