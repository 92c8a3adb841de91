import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '#test/support/browser'
import {
  cleanUp,
  newFolder,
  runFailingService,
  type Service,
  startService,
} from '#test/support/service-process'

/** An agent that knows only the address of the service, and a human with a phone. */

let service: Service
let browser: Browser

/** The addresses of all modules that the service has loaded, a line each. */
let modulesFile: string

/** Makes Node write the address of each module that it loads. A pipe would be full before it is read. */
function notingModules(file: string): string {
  return `--import=data:text/javascript,${encodeURIComponent(`
    import { appendFileSync } from 'node:fs'
    import { registerHooks } from 'node:module'
    registerHooks({ load: (url, context, next) => {
      appendFileSync(${JSON.stringify(file)}, url + '\\n')
      return next(url, context)
    } })
  `)}`
}

beforeAll(async () => {
  modulesFile = join(newFolder(), 'modules')
  const env = { NODE_OPTIONS: notingModules(modulesFile) }
  ;[service, browser] = await Promise.all([startService({ env }), sharedBrowser()])
})
afterAll(cleanUp)

type Json = Record<string, unknown>

async function call(method: string, address: string, body?: object, token?: string) {
  const response = await fetch(address, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json }
}

/** All files below the folder as text, byte for byte. */
function contentsOf(folder: string): string {
  return readdirSync(folder, { recursive: true })
    .map(name => join(folder, String(name)))
    .filter(path => statSync(path).isFile())
    .map(path => readFileSync(path, 'latin1'))
    .join('\n')
}

test('an agent gets from a 401 to a working token with one click of the owner, and no secret is stored', async () => {
  const { baseUrl } = service
  const refused = await call('GET', `${baseUrl}/projects`)
  expect(refused.status).toBe(401)
  const [, metadataUrl = ''] =
    /resource_metadata="(.+?)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? []
  const { body: resource } = await call('GET', metadataUrl)
  const [server = ''] = resource.authorization_servers as string[]
  const { body: metadata } = await call('GET', `${server}/.well-known/oauth-authorization-server`)
  const { register_uri, claim_complete_uri } = metadata.agent_auth as { [name: string]: string }
  const started = await call('POST', register_uri ?? '', {
    type: 'user_claimed',
    requested_credential_type: 'access_token',
    client_name: 'Agent',
  })
  expect(started.status).toBe(201)
  const { claim_url, claim_token, user_code } = started.body as { [name: string]: string }
  const early = await call('POST', claim_complete_uri ?? '', { claim_token })
  expect(early.body.error).toBe('AUTHORIZATION_PENDING')

  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    javaScriptEnabled: false,
  })
  const page = await context.newPage()
  const [setupLink = ''] = /http:\S+\/setup\/\S+/.exec(service.output()) ?? []
  await page.goto(setupLink)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.goto(claim_url ?? '')
  expect(await page.textContent('.code')).toBe(user_code)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  expect(await page.textContent('h1')).toBe('Approved')

  const completed = await call('POST', claim_complete_uri ?? '', { claim_token })
  expect(completed.status).toBe(200)
  const { access_token, refresh_token } = completed.body as { [name: string]: string }
  const projects = await call('GET', `${baseUrl}/projects`, undefined, access_token)
  expect((projects.body.projects as Json[]).map(({ name }) => name)).toEqual(['demo'])

  await page.goto(`${baseUrl}/settings/sessions`)
  await page.getByRole('button', { name: 'Disconnect Agent' }).click()
  await expect
    .poll(async () => (await call('GET', `${baseUrl}/projects`, undefined, access_token)).status, {
      message: 'status of a disconnected agent',
    })
    .toBe(401)

  const cookies = await context.cookies()
  const session = cookies.find(({ name }) => name.startsWith('footfall-session'))?.value
  await context.close()
  const stored = contentsOf(service.dataDir)
  for (const secret of [access_token, refresh_token, claim_token, session, setupLink.split('/').at(-1)]) {
    expect(secret).toBeTruthy()
    expect(stored).not.toContain(secret)
  }
  for (const secret of [access_token, refresh_token, claim_token, session]) {
    expect(service.output()).not.toContain(secret)
  }
})

test('the profile own loads no code of payments', () => {
  const modules = readFileSync(modulesFile, 'utf8')
  expect(modules).toMatch(/\/local\/access\/open-access\.ts$/m)
  expect(modules).not.toMatch(/\/(core\/billing|local\/payments|node_modules\/stripe)\/|\/providers\/stripe/)
})

test('the sign-in page of the service itself refuses an address that other machines can reach', async () => {
  const env = { BASE_URL: 'https://stats.example.com', EMBEDDED_SIGN_IN: 'true' }
  const { code, output } = await runFailingService({ env })
  expect(code).toBe(1)
  expect(output).toContain('EMBEDDED_SIGN_IN')
})

test('providers with half of their settings stop the start, and the message does not repeat a secret', async () => {
  const env = { OPENID_ISSUER: 'https://login.example.com', OPENID_CLIENT_SECRET: 'hush-hush' }
  const { code, output } = await runFailingService({ env })
  expect(code).toBe(1)
  expect(output).toContain('OPENID_CLIENT_ID must be set too')
  expect(output).not.toContain('hush-hush')
})
