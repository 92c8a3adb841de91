import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, type Service, startService } from '#test/support/service-process'
import { type SmtpServer, startSmtpServer } from '#test/support/smtp-server'

/** Sign-in by a code that the service sends, where SMTP is set (docs/sign-in.md). */

let smtp: SmtpServer
let service: Service
beforeAll(async () => {
  smtp = await startSmtpServer()
  service = await startService({
    env: {
      ...{ SMTP_URL: smtp.url, SMTP_FROM: 'Footfall <stats@example.com>' },
      ...{ SMTP_USER: 'stats', SMTP_SECRET: 'a password', SIGN_UP: '@example.org' },
    },
  })
})
afterAll(async () => {
  await cleanUp()
  await smtp.stop()
})

/** A browser that keeps cookies and follows no redirect. */
function openBrowser() {
  const cookies = new Map<string, string>()
  return async (path: string, fields?: Record<string, string>) => {
    const response = await fetch(new URL(path, service.baseUrl), {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(pair => pair.join('=')).join('; ') },
      ...(fields !== undefined && { method: 'POST', body: new URLSearchParams(fields) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';', 1)[0]?.split(/=(.*)/s) ?? []
      cookies.set(name, value)
    }
    return {
      status: response.status,
      location: response.headers.get('location') ?? '',
      text: await response.text(),
    }
  }
}

type Browser = ReturnType<typeof openBrowser>

/** Asks for a code. Returns `state` of the sign-in and the page that follows. */
async function ask(browser: Browser, email: string, to = '/settings') {
  const { location } = await browser(`/auth/start/email?to=${encodeURIComponent(to)}`)
  const state = new URL(location).searchParams.get('state') ?? ''
  expect((await browser(location)).text).toContain('Send a code')
  return { state, page: await browser('/identity/email', { state, email }) }
}

const codeOf = (text: string) => /^Subject: (\d{4} \d{4}) is your/m.exec(text)?.[1] ?? ''
const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to.includes(email))

async function nextCode(email: string, before = 0): Promise<string> {
  const mail = await eventually(async () => {
    const found = mailsTo(email)[before]
    if (found === undefined) throw new Error('There is no e-mail.')
    return found
  })
  expect(mail.text).toContain(codeOf(mail.text))
  return codeOf(mail.text)
}

test('an admitted address gets a code, and the browser that asked is signed in by it', async () => {
  const browser = openBrowser()
  expect((await browser('/auth/sign-in')).text).toContain('Continue with a code by e-mail')
  const { state, page } = await ask(browser, 'Ada@Example.org')
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('ada@example.org')])
  const code = await nextCode('ada@example.org')
  expect(smtp.login()).toEqual(['stats', 'a password'])
  const { status, location } = await browser('/identity/email', { state, code })
  expect([status, new URL(location).pathname]).toEqual([303, '/auth/callback/email'])
  // Another browser that gets the address of the proof has no use of it, also in a sign-in of its own.
  const other = openBrowser()
  expect((await other(location)).status).toBe(403)
  await other('/auth/start/email')
  expect((await other(location)).status).toBe(403)
  const back = await browser(location)
  expect([back.status, new URL(back.location, service.baseUrl).pathname]).toEqual([303, '/settings'])
  expect((await browser('/settings')).text).toContain('ada@example.org')
  // The same person comes back to the same account.
  const later = openBrowser()
  const again = await ask(later, 'ada@example.org')
  const next = await nextCode('ada@example.org', 1)
  await later((await later('/identity/email', { state: again.state, code: next })).location)
  expect((await later('/settings')).text).toContain('ada@example.org')
})

test('an address that may not sign in gets no e-mail, and the pages are the same', async () => {
  const browser = openBrowser()
  const { state, page } = await ask(browser, 'eve@example.com')
  const known = await ask(openBrowser(), 'bob@example.org')
  const same = (text: string) => text.replaceAll(/[\w-]{43}|\w+@example\.(com|org)/g, '')
  expect([page.status, same(page.text)]).toEqual([known.page.status, same(known.page.text)])
  await nextCode('bob@example.org')
  expect(mailsTo('eve@example.com')).toEqual([])
  const guess = await browser('/identity/email', { state, code: '00000000' })
  expect([guess.status, guess.text]).toEqual([400, expect.stringContaining('not the code')])
})

test('what is no address, and a sign-in that never began, are refused with what to do', async () => {
  const browser = openBrowser()
  const { page } = await ask(browser, 'no address')
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('Type an e-mail address.')])
  for (const state of ['', 'x'.repeat(43)]) {
    const { status, text } = await browser('/identity/email', { state, email: 'ada@example.org' })
    expect([status, text]).toEqual([400, expect.stringContaining('Sign in again')])
  }
})

test('the owner adds an address, and then signs in by it', async () => {
  const browser = openBrowser()
  const link = /\S+\/setup\/\S+/.exec(service.output())?.[0] ?? ''
  const csrf = /name="(\w+)" value="([^"]+)"/.exec((await browser(link)).text)
  await browser(link, csrf === null ? {} : { [String(csrf[1])]: String(csrf[2]) })
  const { location } = await browser('/auth/start/email?add=1&to=/settings')
  const state = new URL(location).searchParams.get('state') ?? ''
  await browser('/identity/email', { state, email: 'owner@example.org' })
  const code = await nextCode('owner@example.org')
  const done = await browser((await browser('/identity/email', { state, code })).location)
  expect(done.status).toBe(303)
  const account = async (each: Browser) => (await each('/settings')).text
  const other = openBrowser()
  const again = await ask(other, 'owner@example.org')
  const next = await nextCode('owner@example.org', 1)
  await other((await other('/identity/email', { state: again.state, code: next })).location)
  const emailIn = (text: string) => /[\w.+-]+@[\w.-]+/.exec(text)?.[0]
  expect(emailIn(await account(other))).toBe(emailIn(await account(browser)))
})

test('a mail server that is down is in the log, and the page says nothing of it', async () => {
  await smtp.stop()
  const { page } = await ask(openBrowser(), 'carl@example.org')
  expect(page.status).toBe(200)
  await eventually(async () => expect(service.output()).toContain('SIGN_IN_MAIL_FAILED'))
})
