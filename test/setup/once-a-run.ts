import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { isFirstCall } from './first-call.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Deleted after the run. */
    runFolder: string
    /** Stays between runs: the machine's folder for temporary files. */
    cacheFolder: string
  }
}

const POLL_MS = 50
/** Ends the wait for a worker that was killed during its build. */
const BUILD_TIMEOUT_MS = 240_000

/**
 * Returns the folder `name` that all workers of this test run share. The first caller fills it with `build`;
 * all others wait for it, and fail as it fails. Nothing is built in a run that does not call this.
 */
export async function onceARun(name: string, build: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('runFolder'), name)
  const result = `${folder}.result`
  if (isFirstCall(`${folder}.lock`)) {
    try {
      await mkdir(folder)
      await build(folder)
      await writeFile(result, '')
    } catch (error) {
      await writeFile(result, `${name} failed in another worker: ${error}`)
      throw error
    }
    return folder
  }
  const failure = await waitForFile(result)
  if (failure !== '') throw new Error(failure)
  return folder
}

/**
 * Returns what `make` resolves with, which must be JSON. The first caller of this test run makes it, such as
 * the address of a service that the others use too.
 */
export async function valueOnceARun<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
  const file = 'value.json'
  const folder = await onceARun(name, async path => {
    await writeFile(join(path, file), JSON.stringify(await make()))
  })
  return JSON.parse(await readFile(join(folder, file), 'utf8'))
}

async function waitForFile(path: string): Promise<string> {
  for (const deadline = Date.now() + BUILD_TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const text = await readFile(path, 'utf8').catch(() => null)
    if (text !== null) return text
  }
  throw new Error(`${path} did not appear within ${BUILD_TIMEOUT_MS / 1_000} s.`)
}
