import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MAX_PASSKEYS } from '#core/access/passkeys'
import { sharedBrowser } from '#test/support/browser'
import { openPagesService, type PagesService } from '#test/support/pages-service'
import { addAuthenticator, type StoredPasskey } from './authenticator.ts'

/** Passkeys (U123, U124) in a real browser, with the authenticator of Chromium. */

let service: PagesService
let browser: Browser

beforeAll(async () => {
  ;[service, browser] = await Promise.all([openPagesService({ hasEmbedded: false }), sharedBrowser()])
})
afterAll(() => service?.close())
beforeEach(() => service.passkeys.removeAll(service.owner.id))

/** A browser of its own, with an authenticator that has these passkeys. */
async function device<T>(
  run: (device: {
    page: Page
    context: BrowserContext
    authenticator: Awaited<ReturnType<typeof addAuthenticator>>
  }) => Promise<T>,
  passkeys: readonly StoredPasskey[] = [],
): Promise<T> {
  const context = await browser.newContext({ baseURL: service.baseUrl })
  try {
    const page = await context.newPage()
    return await run({ page, context, authenticator: await addAuthenticator(page, passkeys) })
  } finally {
    await context.close()
  }
}

async function haveSession(page: Page, accountId = service.owner.id): Promise<void> {
  const { token } = await service.browserSessions.create(accountId)
  const name = `footfall-session-${new URL(service.baseUrl).port}`
  await page.context().addCookies([{ name, value: token, url: service.baseUrl }])
}

async function addPasskey(page: Page, name = 'Laptop'): Promise<void> {
  await page.goto('/settings/passkeys/new')
  await page.getByLabel('Name, by which').fill(name)
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await page.waitForURL('**/settings/passkeys')
}

/** A passkey of an account, as its device has it. */
function newPasskey(accountId?: string): Promise<StoredPasskey[]> {
  return device(async ({ page, authenticator }) => {
    await haveSession(page, accountId)
    await addPasskey(page)
    return authenticator.passkeys()
  })
}

/** What the browser would send to sign in, and its cookies; the page itself sends nothing. */
async function heldAnswer(page: Page): Promise<string> {
  await page.addInitScript(() => {
    HTMLFormElement.prototype.submit = function hold() {
      this.dataset.held = new FormData(this).get('credential') as string
    }
  })
  await page.goto('/auth/passkey')
  const form = page.locator('form[data-held]')
  return (await form.getAttribute('data-held')) ?? ''
}

/** What any page of localhost can get of a passkey of localhost. */
function signedChallenge(page: Page, challenge: string): Promise<string> {
  return page.evaluate(async challenge => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
      challenge,
      rpId: 'localhost',
      userVerification: 'required',
    })
    const credential = await navigator.credentials.get({ publicKey })
    return JSON.stringify((credential as PublicKeyCredential).toJSON())
  }, challenge)
}

const send = (page: Page, credential: string, path = '/auth/passkey', more: Record<string, string> = {}) =>
  page.request.post(path, { form: { credential, ...more }, maxRedirects: 0 })

const isSignedIn = async (page: Page) => {
  await page.goto('/settings')
  return new URL(page.url()).pathname === '/settings'
}

describe('a passkey', () => {
  test('is asked for after the first link, signs in on another day, and the log of the account has both', async () => {
    const passkeys = await device(async ({ page, authenticator }) => {
      await page.goto(`/setup/${await service.setupLinks.issue(service.owner.id)}`)
      await page.getByRole('button', { name: 'Sign in' }).click()
      expect(new URL(page.url()).pathname).toBe('/settings/passkeys/new')
      await page.getByRole('button', { name: 'Create a passkey' }).click()
      await page.getByText('Passkey 1', { exact: true }).waitFor()
      expect(await page.textContent('main')).toContain('not used yet')
      return authenticator.passkeys()
    })
    service.wait(86_400_000)
    await device(async ({ page }) => {
      await page.goto('/settings/passkeys')
      expect(new URL(page.url()).pathname).toBe('/auth/sign-in')
      await page.getByRole('link', { name: 'Continue with a passkey' }).click()
      await page.getByText('last used').waitFor()
      expect(new URL(page.url()).pathname).toBe('/settings/passkeys')
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      expect(await isSignedIn(page)).toBe(false)
    }, passkeys)
    const { entries } = (await service.audit.list(service.owner.id, 1_000)) ?? { entries: [] }
    expect(entries).toContainEqual(expect.objectContaining({ action: 'passkey_added' }))
    const actor = { type: 'cookie', id: 'passkey', label: null }
    expect(entries).toContainEqual(expect.objectContaining({ actor, action: 'signed_in' }))
  })

  test('is not offered again after a link where the account has one', async () => {
    await newPasskey()
    await device(async ({ page }) => {
      await page.goto(`/setup/${await service.setupLinks.issue(service.owner.id)}`)
      await page.getByRole('button', { name: 'Sign in' }).click()
      expect(new URL(page.url()).pathname).toBe('/app')
    })
  })

  test('signs in nobody after its removal, and the page says how to get in without the last one', async () => {
    const passkeys = await newPasskey()
    await device(async ({ page }) => {
      await haveSession(page)
      await page.goto('/settings/passkeys')
      expect(await page.textContent('main')).toContain('This is the only passkey.')
      await page.getByRole('button', { name: 'Remove Laptop' }).click()
      const text = await page.textContent('main')
      expect(text).toContain('The account has no passkey. You sign in by a link')
      expect(text).toContain('footfall admin link')
    })
    await device(async ({ page }) => {
      await page.goto('/auth/passkey')
      await page.getByText('This passkey was not accepted.').waitFor()
      expect(await isSignedIn(page)).toBe(false)
    }, passkeys)
  })

  test('gets another name, of which no markup and no other direction is shown', async () => {
    await newPasskey()
    await device(async ({ page }) => {
      await haveSession(page)
      await page.goto('/settings/passkeys')
      await page.getByLabel('New name').fill('<b>Key\u202e</b>')
      await page.getByRole('button', { name: 'Rename Laptop' }).click()
      await page.getByText('<b>Key</b>', { exact: true }).waitFor()
    })
  })

  test('of this device is not added twice', async () => {
    const passkeys = await newPasskey()
    await device(async ({ page }) => {
      await haveSession(page)
      await page.goto('/settings/passkeys/new')
      await page.getByRole('button', { name: 'Create a passkey' }).click()
      await page.getByText('This device has a passkey of the account already.').waitFor()
    }, passkeys)
    expect(await service.passkeys.list(service.owner.id)).toHaveLength(1)
  })
})

describe('the page of a sign-in', () => {
  test('says so when the browser has no passkey, and offers the other ways', () =>
    device(async ({ page }) => {
      await page.goto('/auth/passkey')
      await page.getByText('No passkey was used').waitFor()
      await page.getByRole('link', { name: 'Other ways to sign in' }).click()
      expect(await page.textContent('main')).toContain('footfall admin link')
    }))

  test('does not sign in a person whom the device has not verified', async () => {
    const passkeys = await newPasskey()
    await device(async ({ page, authenticator }) => {
      await authenticator.verifyPerson(false)
      await page.goto('/auth/passkey')
      await page.getByText('No passkey was used').waitFor()
      expect(await isSignedIn(page)).toBe(false)
    }, passkeys)
  })

  test('at an address that is not that of the service finds no passkey', async () => {
    const passkeys = await newPasskey()
    const other = await openPagesService({ hasEmbedded: false, publicUrl: 'https://stats.example.com' })
    try {
      await device(async ({ page }) => {
        await page.goto(`${other.baseUrl}/auth/passkey`)
        await page.getByText('this page has another one').waitFor()
      }, passkeys)
    } finally {
      await other.close()
    }
  })
})

describe('an answer', () => {
  test('is good once', async () => {
    await device(
      async ({ page }) => {
        const answer = await heldAnswer(page)
        const cookies = await page.context().cookies()
        expect((await send(page, answer)).status()).toBe(303)
        await page.context().clearCookies()
        await page.context().addCookies(cookies)
        expect((await send(page, answer)).status()).toBe(403)
        expect(await isSignedIn(page)).toBe(false)
      },
      await newPasskey(),
    )
  })

  test('to the challenge of another browser is refused', async () => {
    const passkeys = await newPasskey()
    await device(async ({ page }) => {
      const answer = await heldAnswer(page)
      await device(async ({ page: other }) => {
        await other.goto('/auth/sign-in')
        expect((await send(other, answer)).status()).toBe(403)
        await heldAnswer(other)
        expect((await send(other, answer)).status()).toBe(403)
      }, passkeys)
    }, passkeys)
  })

  test('is refused after five minutes', async () => {
    await device(
      async ({ page }) => {
        const answer = await heldAnswer(page)
        service.wait(5 * 60_000 + 1_000)
        expect((await send(page, answer)).status()).toBe(403)
      },
      await newPasskey(),
    )
  })

  test('of another account’s passkey does not sign in as this account, whatever it says', async () => {
    const friend = await service.identities.findOrCreate({
      provider: 'idp',
      issuer: 'https://login.example.com',
      subject: 'friend',
      email: 'friend@example.com',
      login: null,
    })
    await newPasskey()
    await device(
      async ({ page }) => {
        const answer = JSON.parse(await heldAnswer(page))
        answer.response.userHandle = Buffer.from(service.owner.id).toString('base64url')
        expect((await send(page, JSON.stringify(answer))).status()).toBe(403)
        expect(await isSignedIn(page)).toBe(false)
        expect((await send(page, await heldAnswer(page))).status(), 'as the friend').toBe(303)
      },
      await newPasskey(friend.id),
    )
    await service.passkeys.removeAll(friend.id)
  })

  test('made at another origin of the same name is refused', async () => {
    const other = await openPagesService({ hasEmbedded: false })
    try {
      await device(
        async ({ page }) => {
          for (const [origin, status] of [
            [other.baseUrl, 403],
            [service.baseUrl, 303],
          ] as const) {
            const { challenge, cookie } = await service.passkeyChallenge()
            await page.goto(`${origin}/auth/sign-in`)
            const answer = await signedChallenge(page, challenge)
            await page.context().addCookies([{ ...cookie, url: service.baseUrl }])
            expect((await send(page, answer)).status(), origin).toBe(status)
          }
        },
        await newPasskey(),
      )
    } finally {
      await other.close()
    }
  })

  test('of a passkey whose counter went back is refused', async () => {
    const passkeys = await newPasskey()
    const used = passkeys.map(passkey => ({ ...passkey, signCount: 40 }))
    await device(async ({ page }) => {
      await page.goto('/auth/passkey')
      await page.waitForURL('**/settings')
    }, used)
    await device(async ({ page }) => {
      await page.goto('/auth/passkey')
      await page.getByText('This passkey was not accepted.').waitFor()
    }, passkeys)
  })

  test.each([
    ['missing', ''],
    ['no JSON', '{'],
    ['another thing', '{"id":"x"}'],
    ['too long', JSON.stringify({ id: 'a'.repeat(1_400) })],
  ])('that is %s is 400 with what to do', (_, answer) =>
    device(async ({ page }) => {
      await page.goto('/auth/passkey')
      const response = await page.request.post('/auth/passkey', {
        form: { credential: answer },
        headers: { Accept: 'application/json' },
      })
      expect([response.status(), await response.json()]).toEqual([
        400,
        expect.objectContaining({ message: expect.stringContaining('Open the page again') }),
      ])
    }),
  )

  test('of more than 64 KB is 413', () =>
    device(async ({ page }) => {
      expect((await send(page, 'a'.repeat(70_000))).status()).toBe(413)
    }))
})

describe('the passkeys of an account', () => {
  test('are ten at most', async () => {
    const key = { public_key: 'AA', counter: 0, transports: [] }
    for (let i = 0; i < MAX_PASSKEYS; i++)
      expect(
        await service.passkeys.add(service.owner.id, { ...key, credential_id: `c${i}` }, 'x'),
      ).not.toBeNull()
    expect(await service.passkeys.add(service.owner.id, { ...key, credential_id: 'more' }, 'x')).toBeNull()
    await device(async ({ page }) => {
      await haveSession(page)
      await page.goto('/settings/passkeys')
      expect(await page.textContent('main')).toContain('at most 10 passkeys')
      await page.goto('/settings/passkeys/new')
      await page.getByRole('button', { name: 'Create a passkey' }).click()
      await page.getByText('cannot have more').waitFor()
    })
  })

  test.each(['/settings/passkeys', '/settings/passkeys/x/rename', '/settings/passkeys/x/remove'])(
    'change by the forms of the page only: %s without its token is 403',
    path =>
      device(async ({ page }) => {
        await haveSession(page)
        expect((await send(page, '', path, { name: 'x', csrf: 'wrong' })).status()).toBe(403)
        await page.context().clearCookies()
        expect((await send(page, '', path, { name: 'x' })).status()).toBe(401)
      }),
  )

  test('are not changed by another account', async () => {
    await newPasskey()
    const [own] = await service.passkeys.list(service.owner.id)
    const other = 'acc_0000000000000000'
    expect(await service.passkeys.rename(other, own?.id ?? '', 'x')).toBe(false)
    expect(await service.passkeys.remove(other, own?.id ?? '')).toBe(false)
    expect(await service.passkeys.list(service.owner.id)).toEqual([own])
  })
})

test('an address without passkeys says so on every page of them', async () => {
  const plain = await openPagesService({ hasEmbedded: false, publicUrl: 'http://192.168.1.9:8787' })
  try {
    const response = await fetch(`${plain.baseUrl}/auth/passkey`, { headers: { Accept: 'application/json' } })
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ message: expect.stringContaining('for https with a host name') }),
    ])
  } finally {
    await plain.close()
  }
})
