import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { adminSocketPath, openAdminSocket } from '#local/access/admin-socket'

/** The socket of `footfall admin link`; test/cli/admin-link.test.ts asks a running service. */

const newFolder = () => mkdtempSync(join(tmpdir(), 'footfall-admin-'))

async function open(folder: string, setupLink: (email?: string) => Promise<string>, lines: unknown[] = []) {
  const socket = await openAdminSocket(folder, {
    setupLink,
    countDays: async () => ({ days: {} }),
    readState: async () => ({}),
    openProbe: async () => ({}),
    log: code => void lines.push(code),
  })
  onTestFinished(() => socket.close())
  return socket
}

function ask(folder: string, method = 'POST', path = '/link'): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    request({ socketPath: adminSocketPath(folder), method, path }, response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
      .on('error', reject)
      .end()
  })
}

test('a file that a killed service has left is no obstacle, and the end deletes the socket', async () => {
  const folder = newFolder()
  writeFileSync(adminSocketPath(folder), '')
  const socket = await open(folder, async () => 'http://localhost/setup/x')
  expect(await ask(folder)).toEqual({
    status: 200,
    body: { link: 'http://localhost/setup/x', expires_in_seconds: 3_600 },
  })
  await socket.close()
  expect(existsSync(adminSocketPath(folder))).toBe(false)
})

test('the link of an address is that of its account, and a text that is no address is refused', async () => {
  const folder = newFolder()
  await open(folder, async email => `http://localhost/setup/${email}`)
  const { body } = await ask(folder, 'POST', '/link?email=ada%40example.com')
  expect(body).toMatchObject({ link: 'http://localhost/setup/ada@example.com' })
  for (const query of [
    'email=ada',
    'email=',
    'email=a%40example.com&x=1',
    `email=${'a'.repeat(300)}%40example.com`,
  ])
    expect((await ask(folder, 'POST', `/link?${query}`)).status).toBe(404)
})

test('there is one path and one method', async () => {
  const folder = newFolder()
  await open(folder, async () => 'x')
  for (const [method, path] of [
    ['GET', '/link'],
    ['POST', '/links'],
    ['POST', '/link?x=1'],
  ] as const)
    expect((await ask(folder, method, path)).status).toBe(404)
})

test('a link that cannot be stored is 503, and the log says why', async () => {
  const folder = newFolder()
  const lines: unknown[] = []
  await open(folder, () => Promise.reject(new Error('full')), lines)
  expect((await ask(folder)).status).toBe(503)
  expect(lines).toEqual(['TIMER_FAILED'])
})

test.runIf(process.platform === 'linux')(
  'a path that is too long for a socket is an error with a code',
  async () => {
    const folder = join(newFolder(), 'x'.repeat(120))
    mkdirSync(folder)
    await expect(open(folder, async () => 'x')).rejects.toMatchObject({ code: expect.any(String) })
  },
)
