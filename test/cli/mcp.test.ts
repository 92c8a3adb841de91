import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { cleanUp, newFolder } from '#test/support/service-process'
import { builtCommandLine } from './built-cli.ts'
import { type DemoService, demoService } from './demo-service.ts'
import { runHere } from './world.ts'

/** `footfall mcp`: the tools over stdin and stdout, with the session of the command line. */

let service: DemoService
beforeAll(async () => {
  service = await demoService()
})
afterAll(cleanUp)

const environment = (baseUrl: string) => ({
  ...{ PATH: process.env.PATH as string, HOME: newFolder(), AA_CONFIG_DIR: newFolder() },
  AA_BASE_URL: baseUrl,
})

describe.each(['modern', 'legacy'] as const)('a client of the %s revision', era => {
  test('asks the demo', async () => {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
    )
    onTestFinished(() => client.close())
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [await builtCommandLine(), '--demo', 'mcp'],
        env: environment(service.baseUrl),
      }),
    )
    expect((await client.listTools()).tools).toHaveLength(6)
    const result = await client.callTool({ name: 'query', arguments: { project: 'demo', since: '30d' } })
    expect(result.structuredContent).toMatchObject({ totals: { total_events: expect.any(Number) } })
    const refused = await client.callTool({
      name: 'manage',
      arguments: { action: 'send_feedback', values: { message: 'x' } },
    })
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('FORBIDDEN') }],
    })
  })
})

/** Runs the command with these lines as its whole input. */
async function answersTo(lines: readonly string[], baseUrl: string, args: readonly string[] = []) {
  const stdin = lines.map(line => `${line}\n`).join('')
  const { code, stdout, stderr } = await runHere([...args, 'mcp'], { stdin, env: environment(baseUrl) })
  return {
    code,
    stderr,
    answers: stdout
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line)),
  }
}

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' })

test('without a sign-in the answer says which command signs in', async () => {
  const { code, answers } = await answersTo([LIST], service.baseUrl)
  expect({ code, answers }).toEqual({
    code: 0,
    answers: [
      { jsonrpc: '2.0', id: 7, error: { code: -32000, message: expect.stringContaining('footfall login') } },
    ],
  })
})

test('a line that is no message is answered, and the next line too', async () => {
  const deep = `{"jsonrpc":"2.0","id":8,"method":"tools/list","params":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
  const { answers } = await answersTo(['{"jsonrpc"', '[]', deep, '', LIST], service.baseUrl, ['--demo'])
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    [null, -32700],
    [null, -32700],
    [null, -32700],
    [7, undefined],
  ])
})

test('a service that is down is named', async () => {
  const { answers } = await answersTo([LIST], 'http://127.0.0.1:9', ['--demo'])
  expect(answers).toEqual([
    { jsonrpc: '2.0', id: 7, error: { code: -32000, message: expect.stringMatching(/\./) } },
  ])
})

test('a service without the tools is called too old', async () => {
  const old = createServer((request, response) => {
    const isDemo = request.url === '/demo/session'
    response.writeHead(isDemo ? 200 : 404, { 'Content-Type': 'application/json' })
    response.end(
      JSON.stringify(
        isDemo
          ? { agent_session: { access_token: 'aas_0' } }
          : { error: 'NOT_FOUND', message: 'There is no such path.' },
      ),
    )
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void old.close())
  await once(old, 'listening')
  const { answers } = await answersTo([LIST], `http://127.0.0.1:${(old.address() as AddressInfo).port}`, [
    '--demo',
  ])
  expect(answers[0].error.message).toContain('older')
})
