import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFence } from '#local/scans/find-fence'
import { openTestState } from '#test/support/test-state'

const NO_START = { fence: 'none', text: expect.stringContaining('CHROMIUM_PATH does not start') }

test('an installed browser that is missing, or has no folder to write to, does not end the start', async () => {
  const { folder, close } = await openTestState()
  expect(await findFence(folder, '/nowhere/chromium')).toEqual(NO_START)
  const file = join(folder, 'file')
  await writeFile(file, '')
  expect(await findFence(file, '/bin/true')).toEqual(NO_START)
  await close()
})

test('the browser of npm is judged by the kernel alone, without a folder', async () => {
  expect(await findFence('/nowhere', undefined)).toEqual({
    fence: expect.any(String),
    text: expect.stringContaining('Website analyses'),
  })
})
