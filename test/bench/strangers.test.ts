import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { Door } from '#bench/strangers/attack'
import { ATTACKS } from '#bench/strangers/attacks'
import type { Measures } from '#bench/strangers/neighbours'
import { resultNotes, resultRow } from '#bench/strangers/report'
import { hostOfSite, serveSites } from '#bench/strangers/site-server'
import { eventually } from '#test/support/eventually'

/**
 * bench/strangers: each attacker sends what its line says, from an address that is not the neighbours'. Only
 * Linux has these addresses without more.
 */

const servers: (Server | TcpServer)[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function listen(server: Server | TcpServer): Promise<number> {
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const doorAt = (port: number, size: number): Door => ({
  ...{ port, size, project: 'demo', token: 'aat_demo', links: ['aal_one', 'aal_two'] },
  from: ['127.0.0.2', '127.0.0.3'],
})

const attackOf = (start: string) => {
  const attack = ATTACKS.find(({ name }) => name.startsWith(start))
  if (attack === undefined) throw new Error(`There is no attack ${start}.`)
  return attack
}

/** Runs an attack on a server that answers 200 to everything, until it has got so many requests. */
async function requestsOf(start: string, requests: number) {
  const got: { from: string | undefined; line: string; agent: string; body: string }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const agent = request.headers['user-agent'] ?? ''
    got.push({ from: request.socket.remoteAddress, line: `${request.method} ${request.url}`, agent, body })
    response.end('{}')
  })
  const stopping = new AbortController()
  const running = attackOf(start).run(doorAt(await listen(server), 0.01), stopping.signal)
  await eventually(() => expect(got.length).toBeGreaterThanOrEqual(requests))
  stopping.abort()
  const answers = await running
  return { got, answers, paths: new Set(got.map(({ line }) => line.split('?')[0])) }
}

/** Runs an attack on a server that says nothing, until it has got so many bytes of each connection. */
async function bytesOf(start: string, connections: number, bytes: number) {
  const texts: { from: string | undefined; text: string }[] = []
  const server = createTcpServer(socket => {
    const held = { from: socket.remoteAddress, text: '' }
    texts.push(held)
    socket.on('data', data => {
      held.text += data.toString('latin1')
    })
    socket.on('error', () => {})
  })
  const stopping = new AbortController()
  const running = attackOf(start).run(doorAt(await listen(server), 0.01), stopping.signal)
  await eventually(() => expect(texts.filter(({ text }) => text.length >= bytes)).toHaveLength(connections))
  stopping.abort()
  return { texts, answers: await running }
}

describe.runIf(process.platform === 'linux')('an attacker of the bench', () => {
  test('opens connections with half a header', async () => {
    const { texts, answers } = await bytesOf('1 ', 17, 10)
    expect(texts.every(({ from, text }) => from === '127.0.0.2' && !text.includes('\r\n\r\n'))).toBe(true)
    expect(answers['most open']).toBe(17)
  })

  test.each([
    ['2a', 1, 1_048_575],
    ['2b', 3, 16_384],
  ])('%s sends bodies of 1 MiB that are never whole', async (start, connections, bytes) => {
    const { texts } = await bytesOf(start, connections, bytes)
    for (const { from, text } of texts) {
      const [head = '', body = ''] = text.split('\r\n\r\n')
      expect([from, /Content-Length: (\d+)/.exec(head)?.[1]]).toEqual(['127.0.0.2', '1048576'])
      expect(body.length).toBeLessThan(1_048_576)
    }
  })

  test.each([
    ['3a', 4, ['POST /website-scans'], /^\{"url":"http:\/\/9\.9\.[12]\.\d+\/"\}$/],
    ['3b', 8, ['POST /website-scans'], /^\{"url":"http:\/\/9\.9\.3\.\d+\/"\}$/],
    ['4b', 16, ['POST /funnel', 'POST /query', 'POST /paths', 'GET /retention'], /^$|"project":"demo"/],
    ['5a', 6, ['POST /replay/start'], /^\{"token":"aat_demo","session_id":"stranger-\d+"/],
    ['5b', 200, ['POST /identify'], /"traits":\{"note":"[0-9a-f]{8100}"\}/],
    ['6', 5, ['POST /track'], /^\{"token":"aat_demo","event":"page_view"\}$/],
    ['11', 2, ['POST /query', 'POST /funnel'], /"filters":\[{4000}\]{4000}/],
  ])('%s sends its requests', async (start, requests, lines, body) => {
    const { got, answers, paths } = await requestsOf(start, requests)
    expect([...paths].toSorted()).toEqual(lines.toSorted())
    for (const each of got) {
      expect(each.from).toMatch(/^127\.0\.0\.[23]$/)
      expect(each.body).toMatch(body)
    }
    expect(answers['200']).toBeGreaterThanOrEqual(requests)
    expect(got.every(({ agent }) => agent.includes('Googlebot') === (start === '6'))).toBe(true)
  })
})

test('each attack has a name of its own that begins with its number in the issue', () => {
  const numbers = ATTACKS.map(({ name }) => name.split(' ')[0])
  expect(numbers).toEqual(['1', '2a', '2b', '3a', '3b', '4a', '4b', '5a', '5b', '6', '11'])
})

test('public addresses of the sites lead to the server of the bench, in threads too', async () => {
  const sites = await serveSites()
  const code = `import { get } from 'node:http'
    get('http://${hostOfSite('plain', 7)}/', response => console.log(response.resume().statusCode))`
  const module = JSON.stringify(`data:text/javascript,${encodeURIComponent(code)}`)
  const inThread = `import { Worker } from 'node:worker_threads'
    new Worker(new URL(${module}), { execArgv: [] })`
  const preload = pathToFileURL(`${import.meta.dirname}/../../bench/strangers/site-network.mjs`).href
  const env = { ...process.env, BENCH_SITE_PORT: String(sites.port) }
  const run = promisify(execFile)
  const outputs = [code, inThread].map(async script => {
    const { stdout } = await run(
      process.execPath,
      ['--import', preload, '--input-type=module', '-e', script],
      { env },
    )
    return stdout
  })
  expect(await Promise.all(outputs)).toEqual(['200\n', '200\n'])
  sites.close()
})

const calm: Measures = {
  ...{ ingestion: [1, 2, 10], sent: 3, refused: 0, freshness: [400, 900], memoryMb: 300 },
  ...{ reads: [40, 50], asked: 2, failedReads: 0 },
}

test('a row compares the attack with the time before', () => {
  const during: Measures = {
    ...{ ingestion: [5, 30], sent: 9, refused: 4, freshness: [22_000], memoryMb: 900 },
    ...{ reads: [7_100], asked: 3, failedReads: 2 },
  }
  const result = { name: '9 test', before: calm, during, lived: 'yes', answers: { 503: 12 } }
  expect(resultRow({ ...result, witness: null })).toBe(
    '| 9 test | 2/10 → 30/30 | 3.0 | 0 → 4 of 9 | 0.9/0.9 (2) → 22.0/22.0 (1) | 50/50 → 7,100/7,100 | 142.0 | 0 → 2 of 3 | 300 → 900 | yes |',
  )
  expect(resultNotes({ ...result, witness: ['state.db: 1.0 MB', 'state.db: 9.0 MB'] })).toBe(
    'the attacker got 503: 12; state.db: 1.0 MB → 9.0 MB',
  )
})

test('a row of a service that ended says so, and has dashes where nothing was measured', () => {
  const during: Measures = { ...calm, ingestion: [], refused: 3, freshness: [], reads: [], failedReads: 2 }
  const row = resultRow({
    ...{ name: '9 test', before: calm, during, lived: 'no, it ended with 1', answers: {}, witness: null },
  })
  expect(row).toBe(
    '| 9 test | 2/10 → -/- | - | 0 → 3 of 3 | 0.9/0.9 (2) → -/- (0) | 50/50 → -/- | - | 0 → 2 of 2 | 300 → 300 | no, it ended with 1 |',
  )
})
