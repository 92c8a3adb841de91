import { afterEach, describe, expect, test, vi } from 'vitest'
import { chooseFence, type LocalFence } from '#providers/chromium/fences'
import { isFenceAllowed } from '#providers/chromium/probe-fence'

afterEach(() => vi.unstubAllEnvs())

describe('of the fences that work the strongest is chosen', () => {
  test.each<[LocalFence, LocalFence[], LocalFence[]]>([
    [
      'sandbox_without_network',
      ['namespaces', 'sandbox', 'sandbox_without_network'],
      ['sandbox_without_network'],
    ],
    ['sandbox', ['namespaces', 'sandbox'], ['sandbox_without_network', 'sandbox']],
    ['namespaces', ['namespaces'], ['sandbox_without_network', 'sandbox', 'namespaces']],
    ['none', [], ['sandbox_without_network', 'sandbox', 'namespaces']],
  ])('%s of %j', async (chosen, working, tried) => {
    const asked: LocalFence[] = []
    const works = async (fence: LocalFence) => {
      asked.push(fence)
      return working.includes(fence)
    }
    expect(await chooseFence(works)).toBe(chosen)
    expect(asked).toEqual(tried)
  })
})

test('root has no plain sandbox', async () => {
  expect(await isFenceAllowed('sandbox', 0)).toBe(false)
})

test('a machine without the program `unshare` has no fence for the browser of npm', async () => {
  vi.stubEnv('PATH', '/nowhere')
  expect(await chooseFence(isFenceAllowed)).toBe('none')
})
