import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { cleanUp, newFolder } from '#test/support/service-process'
import { type DemoService, demoService } from './demo-service.ts'
import { runHere } from './world.ts'

/** `footfall admin link`, which asks the running service over the socket in its data folder. */

let service: DemoService
beforeAll(async () => {
  service = await demoService()
})
afterAll(cleanUp)

const linkIn = (text: string) => /http:\S+\/setup\/[\w-]{43}/.exec(text)?.[0] as string

test('each call prints another link, whole, and each signs the owner in once, without a restart', async () => {
  const [named, ofEnvironment, json] = await Promise.all([
    runHere(['admin', 'link', '--data', service.dataDir]),
    runHere(['admin', 'link'], { env: { DATA_DIR: service.dataDir } }),
    runHere(['admin', 'link', '--data', service.dataDir, '--json']),
  ])
  expect([named.code, named.stderr]).toEqual([0, expect.stringContaining('once, for an hour')])
  expect(JSON.parse(json.stdout)).toEqual({ link: expect.any(String), expires_in_seconds: 3600 })
  const links = [named, ofEnvironment, json].map(({ stdout }) => linkIn(stdout))
  expect(new Set(links).size).toBe(3)
  const redeem = (link: string) => fetch(link, { method: 'POST', redirect: 'manual' })
  for (const link of links) {
    const response = await redeem(link)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/app'])
    expect((await redeem(link)).status).toBe(404)
  }
})

test('a link for an address signs in the account of that address, and no other text is taken', async () => {
  const args = ['admin', 'link', '--data', service.dataDir, '--email']
  const [first, again, wrong] = await Promise.all([
    runHere([...args, 'ada@example.com']),
    runHere([...args, 'ADA@example.com']),
    runHere([...args, 'ada']),
  ])
  expect(first.stderr).toContain('sign in as ada@example.com')
  const pages = []
  for (const { stdout } of [first, again]) {
    const { headers } = await fetch(linkIn(stdout), { method: 'POST', redirect: 'manual' })
    const page = await fetch(`${service.baseUrl}/settings`, {
      headers: { Cookie: headers.getSetCookie()[0]?.split(';')[0] ?? '' },
    })
    pages.push(/acc_[0-9a-f]{16}/.exec(await page.text())?.[0])
  }
  expect(pages).toEqual([pages[0], pages[0]])
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('Give --email an e-mail address')])
})

test('curl prints a link too, where the command line is not built', async () => {
  const args = [
    '-s',
    '-X',
    'POST',
    '--unix-socket',
    join(service.dataDir, 'admin.sock'),
    'http://localhost/link',
  ]
  const { stdout } = await promisify(execFile)('curl', args)
  expect((await fetch(linkIn(stdout))).status).toBe(200)
})

test('only the user of the service may connect, and the port of the service has no such path', async () => {
  expect(statSync(join(service.dataDir, 'admin.sock')).mode & 0o777).toBe(0o600)
  expect((await fetch(`${service.baseUrl}/link`, { method: 'POST' })).status).toBe(404)
})

test('without a running service the command says what to do', async () => {
  const folder = newFolder()
  const none = await runHere(['admin', 'link', '--data', folder])
  expect([none.code, none.stderr]).toEqual([
    1,
    expect.stringMatching(/No service runs on the data folder .*\n.*footfall admin link --data FOLDER/),
  ])
  const other = createServer(socket => socket.end('HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n'))
  await new Promise<void>(resolve => other.listen(join(folder, 'admin.sock'), resolve))
  onTestFinished(() => void other.close())
  const broken = await runHere(['admin', 'link', '--data', folder])
  expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('Try again in a few seconds')])
})
