import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, request as secureRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reachPublicAddress } from '#local/doctor/reach'
import { runProcess } from '#test/cli/built-cli'
import { runHere } from '#test/cli/world'
import { eventually } from '#test/support/eventually'
import { keepPort } from '#test/support/keep-port'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'

/**
 * `/metrics` and `footfall doctor` of a service behind a proxy with TLS, as on a server. The proxy is ours
 * and forwards as Caddy does.
 */

const root = resolve(import.meta.dirname, '../../..')
const main = join(root, 'local/doctor/main.ts')
const tls = (name: string) => join(root, 'test/fixtures/tls', name)
const SECRET = 'the-secret-of-the-monitor'

let service: Service
let publicUrl: string
/** The address of the service without the proxy. */
let direct: string
/** Whether the proxy says who calls. */
let forwards = true

const proxy = createServer(
  { cert: readFileSync(tls('localhost-certificate.pem')), key: readFileSync(tls('localhost-key.pem')) },
  (incoming, outgoing) => {
    const { url, method } = incoming
    const headers = { ...incoming.headers, ...(forwards && { 'x-forwarded-for': '203.0.113.5' }) }
    const forwarded = request(`${direct}${url}`, { method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(forwarded.on('error', () => outgoing.writeHead(502).end()))
  },
)

beforeAll(async () => {
  await new Promise<void>(done => void proxy.listen(0, '127.0.0.1', done))
  publicUrl = `https://localhost:${(proxy.address() as AddressInfo).port}`
  const port = await keepPort()
  direct = `http://127.0.0.1:${port}`
  service = await startService({
    port,
    env: { BASE_URL: publicUrl, TRUSTED_PROXIES: '127.0.0.1,::1', METRICS_SECRET: SECRET },
  })
})
afterAll(async () => {
  proxy.close()
  await cleanUp()
})

/** Whoever runs the machine knows the authority of its certificate. */
const trusting = { NODE_EXTRA_CA_CERTS: tls('localhost-certificate.pem') }

type Found = { problems: number; findings: { check: string; level: string; text: string; action?: string }[] }

async function doctor(env: Record<string, string> = trusting) {
  const args = [main, '--data', service.dataDir, '--json']
  const { code, stdout, stderr } = await runProcess(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...args],
    { PATH: process.env.PATH as string, ...env },
  )
  expect(stderr).toBe('')
  const found: Found = JSON.parse(stdout)
  const of = (check: string) => found.findings.find(finding => finding.check === check)
  return { code, found, of }
}

async function metrics(headers: Record<string, string> = {}, base = direct): Promise<Map<string, number>> {
  const response = await fetch(`${base}/metrics`, { headers })
  expect(response.status).toBe(200)
  const lines = (await response.text()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  )
}

test('metrics count what was stored, refused and read, and say how the machine is', async () => {
  const track = (event: object, token = service.credentials.project_token) =>
    fetch(`${direct}/track`, {
      method: 'POST',
      headers: { 'User-Agent': HUMAN_USER_AGENT, 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, ...event }),
    })
  expect((await track({ event: 'page_view', user_id: 'a' })).status).toBe(202)
  expect((await track({ event: '' })).status).toBe(400)
  const stats = await fetch(`${direct}/stats?project=${service.credentials.project}`, {
    headers: { 'X-API-Key': service.credentials.api_key },
  })
  expect(stats.status).toBe(200)
  const read = await metrics()
  const value = (series: string) => read.get(`footfall_${series}`)
  expect(value('records_total')).toBe(1)
  expect(value('refused_events_total{reason="name"}')).toBe(1)
  expect(value('answers_total{function="track",status="2xx"}')).toBe(1)
  expect(value('answers_total{function="track",status="4xx"}')).toBe(1)
  expect(value('read_seconds_count{report="/stats"}')).toBe(1)
  expect(value('read_seconds{report="/stats",quantile="0.99"}')).toBeGreaterThan(0)
  for (const size of [
    'disk_free_bytes',
    'disk_reserve_bytes',
    'memory_resident_bytes',
    'machine_memory_bytes',
  ])
    expect(value(size)).toBeGreaterThan(1e6)
  await eventually(async () => {
    const later = await metrics()
    expect(later.get('footfall_lake_lag_seconds')).toBe(0)
    expect(later.get('footfall_waiting_bytes')).toBe(0)
  })
})

test('through the proxy nobody reads metrics without the secret', async () => {
  const options = { ca: readFileSync(tls('localhost-certificate.pem')) }
  const ask = (headers: Record<string, string>) =>
    new Promise<number | undefined>((done, fail) => {
      secureRequest(`${publicUrl}/metrics`, { ...options, headers, agent: false }, response => {
        response.resume()
        done(response.statusCode)
      })
        .on('error', fail)
        .end()
    })
  expect([await ask({}), await ask({ Authorization: `Bearer ${SECRET}` })]).toEqual([401, 200])
})

test('the board of Grafana in the docs asks for metrics that there are, and for most of them', async () => {
  const board = readFileSync(resolve(root, 'docs/grafana.json'), 'utf8')
  const asked = new Set([...board.matchAll(/footfall_[a-z_]+/g)].map(([name]) => name))
  const there = [...(await metrics()).keys()].map(series => series.replace(/\{.*/, ''))
  expect([...asked].filter(name => !there.includes(name) && name !== 'footfall_backup_age_seconds')).toEqual(
    [],
  )
  expect(asked.size).toBeGreaterThan(12)
  const page = readFileSync(resolve(root, 'docs/monitoring.md'), 'utf8')
  const names = there.map(name => name.replace(/^footfall_|_(sum|count)$/g, ''))
  expect(names.filter(name => !page.includes(`\`${name}\``))).toEqual([])
})

test('behind a good proxy nothing is wrong: the address, the proxy and its certificate are seen from outside', async () => {
  const { code, found, of } = await doctor()
  expect(found.findings.filter(({ level }) => level === 'problem')).toEqual([])
  expect(code).toBe(0)
  expect(of('address')?.text).toContain(`${publicUrl} leads to this service`)
  expect(of('proxy')?.text).toContain('trusted, and says that this call came from 203.0.113.5')
  expect(of('tls')).toMatchObject({ level: 'good' })
  expect(of('backup')).toMatchObject({ level: 'note', text: 'No copy of the data is known.' })
})

test('a proxy that does not say who calls, and a certificate of nobody, are problems and the exit code', async () => {
  forwards = false
  try {
    const { code, found, of } = await doctor({})
    expect([code, found.problems]).toEqual([1, 2])
    expect(of('proxy')?.text).toContain('does not send X-Forwarded-For')
    expect(of('tls')?.text).toContain('Browsers refuse the certificate')
  } finally {
    forwards = true
  }
})

test('after a backup its age is known, and the command line prints lines for people', async () => {
  const env = { DATA_DIR: service.dataDir, ...trusting }
  expect((await runHere(['backup', newFolder(), '--data', service.dataDir])).code).toBe(0)
  const { code, stdout } = await runHere(['doctor'], { env })
  expect(stdout).toMatch(/^ok {7}backup {9}The newest copy is \d+ s old\.$/m)
  expect(stdout).toMatch(/ first_to_stop {2}/)
  expect([code, stdout.match(/^PROBLEM.*/gm)]).toEqual([0, null])
  expect((await metrics()).get('footfall_backup_age_seconds')).toBeGreaterThanOrEqual(0)
})

test('an address of another service, and one that nobody answers, are told apart', async () => {
  const other = createServer(
    { cert: readFileSync(tls('localhost-certificate.pem')), key: readFileSync(tls('localhost-key.pem')) },
    (_, response) => response.end('hello'),
  )
  await new Promise<void>(done => void other.listen(0, '127.0.0.1', done))
  const { port } = other.address() as AddressInfo
  const answered = await reachPublicAddress(`https://localhost:${port}`, '/probe/x')
  expect(answered).toMatchObject({
    status: 200,
    probe: null,
    failure: null,
    certificate: { problem: expect.any(String) },
  })
  await new Promise(done => other.close(done))
  const closed = await reachPublicAddress(`https://localhost:${port}`, '/probe/x')
  expect(closed).toMatchObject({ status: null, failure: expect.stringContaining('ECONNREFUSED') })
})

test('without a service the settings of a file are read, and it is a problem', async () => {
  const file = join(newFolder(), 'env')
  writeFileSync(file, 'BASE_URL=https://stats.example.com/path\n')
  const folder = newFolder()
  const { code, stdout } = await runHere(['doctor', '--data', folder, '--env-file', file, '--json'])
  const { findings }: Found = JSON.parse(stdout)
  expect(code).toBe(1)
  expect(findings.filter(({ level }) => level === 'problem')).toMatchObject([
    { check: 'service', text: `${folder} is no data folder of Footfall.` },
    { check: 'settings', text: expect.stringContaining('BASE_URL') },
  ])
})
