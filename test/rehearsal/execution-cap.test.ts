import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createExecutionCap } from '#rehearsal/execution-cap'
import { startGate } from '#rehearsal/gate'

test('an execution is taken until it is given back, once', () => {
  const cap = createExecutionCap()
  cap.leave(1)
  const free = cap.take()
  expect(cap.take()).toBeNull()
  free?.()
  free?.()
  expect(cap.take()).not.toBeNull()
  expect(cap.take()).toBeNull()
  expect(cap.refused()).toBe(2)
})

test('the gate answers 503 to a request of the API that finds no execution, and no other request needs one', async () => {
  const waiting: (() => void)[] = []
  const emulator = createServer((request, response) => {
    if (request.url?.includes('/slow')) waiting.push(() => response.end('slow'))
    else response.end('fast')
  })
  emulator.listen(0, '127.0.0.1')
  await once(emulator, 'listening')
  const gate = await startGate()
  onTestFinished(async () => {
    await gate.stop()
    emulator.closeAllConnections()
    emulator.close()
  })
  gate.forwardTo(`http://127.0.0.1:${(emulator.address() as AddressInfo).port}`)
  const api = `${gate.endpoint}/_aws/execute-api/id/$default`
  gate.executions.leave(1)
  const arrived = once(emulator, 'request')
  const first = fetch(`${api}/slow`)
  await arrived
  expect((await fetch(`${api}/fast`)).status).toBe(503)
  expect((await fetch(`${gate.endpoint}/bucket/key`)).status).toBe(200)
  for (const end of waiting) end()
  expect(await (await first).text()).toBe('slow')
  await expect.poll(async () => (await fetch(`${api}/fast`)).status).toBe(200)
})
