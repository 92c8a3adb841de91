import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands } from '#cli/commands/all'
import { cleanUp, newFolder } from '#test/support/service-process'
import { type DemoService, demoService } from './demo-service.ts'
import { closeTerminals, openProgram, openTerminal, openTerminalHere } from './terminal.ts'
import { TextOutput } from './world.ts'

/**
 * The command line on a terminal, against the demo of a running service. It runs in a pseudo-terminal where
 * signals, sizes and the second screen are the matter.
 */

let service: DemoService
/** Answers as the service does, or when it is told to. */
let front: Server
let frontAddress: string
const held: (() => void)[] = []
let isDown = false
let isHolding = false
/** Below this path each question is asked once: an answer does not depend on the terminal. */
const KEPT = /^\/kept(?=\/)/
type Answer = { status: number; body: string }
const kept = new Map<string, Promise<Answer>>()
let env: Record<string, string>

beforeAll(async () => {
  service = await demoService()
  front = createServer(async (request, response) => {
    if (isDown) return request.socket.destroy()
    const sent = await text(request).catch(() => null)
    // An interrupted command is gone before its request is read.
    if (sent === null) return
    if (isHolding) await new Promise<void>(resolve => held.push(resolve))
    const path = request.url?.replace(KEPT, '') as string
    const question = `${request.method} ${path} ${sent}`
    const ask = () => answerTo(request, path, sent)
    const answer = path === request.url ? ask() : (kept.get(question) ?? ask())
    if (path !== request.url) kept.set(question, answer)
    const { status, body } = await answer
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
  })
  await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
  frontAddress = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  env = { AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: newFolder() }
})
afterAll(async () => {
  closeTerminals()
  front.closeAllConnections()
  front.close()
  await cleanUp()
})

async function answerTo({ method, headers }: IncomingMessage, path: string, sent: string): Promise<Answer> {
  const { authorization = '' } = headers
  const answer = await fetch(service.baseUrl + path, {
    method: method as string,
    headers: { 'Content-Type': 'application/json', ...(authorization !== '' && { authorization }) },
    ...(sent !== '' && { body: sent }),
  })
  return { status: answer.status, body: await answer.text() }
}

/** Everything that a command may draw: tables, bars, a grid of shades, one of rates, a tree, a spark line. */
const DRAWN = ['stats', 'sessions', 'heatmap', 'retention', 'paths', 'bot-traffic', 'funnel', 'list']
const drawn = commands.filter(({ name }) => DRAWN.includes(name))

test('there is an example of each drawing', () => {
  expect(drawn.length).toBe(DRAWN.length)
})

describe.each([40, 80, 200])('a terminal of %d columns', columns => {
  test.each(drawn.map(({ name, example }) => [name, example.split(' ')] as const))(
    'shows the example of %s without a broken line',
    async (_, args) => {
      // Sentences on stderr may be longer than a line.
      const terminal = openTerminalHere(args, {
        ...{ columns, rows: 200, stderr: new TextOutput() },
        env: { ...env, AA_BASE_URL: `${frontAddress}/kept`, NO_COLOR: '1' },
      })
      expect(await terminal.ended).toBe(0)
      expect(terminal.screen().split('\n').length).toBeGreaterThan(1)
      expect(terminal.brokenLines()).toEqual([])
    },
  )
})

test('a line that is wider than its terminal is noticed', async () => {
  const terminal = await openProgram('printf', ['%0100d', '0'], { columns: 40 })
  await terminal.ended
  expect(terminal.brokenLines()).toHaveLength(2)
})

test('a terminal has colours, and none with NO_COLOR or TERM=dumb', async () => {
  const args = ['--demo', 'stats', 'demo']
  const written = async (more: Record<string, string>) => {
    const terminal = openTerminalHere(args, { columns: 80, env: { ...env, ...more } })
    expect(await terminal.ended).toBe(0)
    return terminal.written().includes('\u001b[1m')
  }
  expect([await written({}), await written({ NO_COLOR: '1' }), await written({ TERM: 'dumb' })]).toEqual([
    true,
    false,
    false,
  ])
})

test('a slow answer shows what is awaited, and nothing of it stays beside the result', async () => {
  isHolding = true
  const terminal = openTerminalHere(['--demo', 'list'], {
    columns: 60,
    env: { ...env, AA_BASE_URL: frontAddress },
  })
  await terminal.waitFor(/Waiting for http:\/\/127.0.0.1:\d+ \(\d+ s\)/)
  isHolding = false
  for (const release of held.splice(0)) release()
  expect(await terminal.ended).toBe(0)
  expect(terminal.screen()).toMatch(/^Name .*\ndemo /)
  expect(terminal.screen()).not.toContain('Waiting')
})

test('an interrupt while an answer is awaited ends with 130, and leaves an empty line', async () => {
  isHolding = true
  const terminal = await openTerminal(['--demo', 'list'], {
    columns: 60,
    env: { ...env, AA_BASE_URL: frontAddress },
  })
  await terminal.waitFor(/Waiting/)
  terminal.press('\u0003')
  expect(await terminal.ended).toBe(130)
  expect(terminal.screen().replace('^C', '')).toBe('')
  isHolding = false
  for (const release of held.splice(0)) release()
})

test('live redraws in place, fits a new size, goes on after a service that was away, and gives the screen back', async () => {
  const terminal = await openTerminal(['--demo', 'live', 'demo', '--interval', '1'], {
    columns: 60,
    rows: 20,
    env: { ...env, AA_BASE_URL: frontAddress },
  })
  await terminal.waitFor(/demo, the last 60 s/)
  expect(terminal.isSecondScreen()).toBe(true)
  expect(terminal.screen().split('\n').length).toBeLessThanOrEqual(20)
  isDown = true
  await terminal.waitFor(/This is the last picture/)
  isDown = false
  await terminal.waitFor(/^demo, the last 60 s[\s\S]*\n(\d+ more lines in a taller window. )?Ctrl-C ends it/)
  terminal.resize(50, 8)
  await terminal.waitFor(/more lines in a taller window/)
  expect(terminal.screen().split('\n').length).toBeLessThanOrEqual(8)
  terminal.press('\u0003')
  expect(await terminal.ended).toBe(130)
  expect(terminal.isSecondScreen()).toBe(false)
  // The cursor shows again.
  expect(terminal.written().endsWith('\u001b[?25h\u001b[?1049l')).toBe(true)
})

test('an error of live is on the first screen', async () => {
  const terminal = openTerminalHere(['live'], { columns: 60, env })
  expect(await terminal.ended).toBe(1)
  expect(terminal.isSecondScreen()).toBe(false)
  expect(terminal.screen()).toMatch(/^You are not signed in/)
})
