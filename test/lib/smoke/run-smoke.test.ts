import { expect, test } from 'vitest'
import { runSmoke, type SmokeParts } from '#lib/smoke/run-smoke'

const NAMES = ['expectNoStack', 'deploy', 'journeys', 'doctor', 'destroy', 'deleteKept'] as const

/** Runs the parts, of which some fail. Returns the verdict and the parts that ran. */
async function smoke(...failing: (keyof SmokeParts)[]) {
  const ran: string[] = []
  const lines: string[] = []
  const parts = Object.fromEntries(
    NAMES.map(name => [
      name,
      async () => {
        ran.push(name)
        if (failing.includes(name)) throw new Error(`${name} is broken`)
        return 'fine'
      },
    ]),
  ) as SmokeParts
  const passed = await runSmoke(parts, line => lines.push(line))
  return { passed, ran, lines }
}

test('a smoke test deploys, runs journeys and doctor, and deletes the stack and its data', async () => {
  const { passed, ran, lines } = await smoke()
  expect([passed, ran]).toEqual([true, NAMES])
  expect(lines).toHaveLength(NAMES.length)
})

test('a stack that is there already is neither used nor deleted', async () => {
  expect(await smoke('expectNoStack')).toMatchObject({ passed: false, ran: ['expectNoStack'] })
})

test.each(['journeys', 'doctor'] as const)(
  'after a failure of %s everything is deleted all the same',
  async name => {
    const { passed, ran, lines } = await smoke(name)
    expect([passed, ran]).toEqual([false, NAMES])
    expect(lines.join('\n')).toContain(`${name}: ${name} is broken`)
  },
)

test('a deployment that fails is deleted, and nothing is asked of it', async () => {
  const { passed, ran } = await smoke('deploy')
  expect([passed, ran]).toEqual([false, ['expectNoStack', 'deploy', 'destroy', 'deleteKept']])
})

test('data of a stack that could not be destroyed stay', async () => {
  const { passed, ran } = await smoke('destroy')
  expect([passed, ran.at(-1)]).toEqual([false, 'destroy'])
})

test('what is left makes the smoke test fail', async () => {
  expect((await smoke('deleteKept')).passed).toBe(false)
})
