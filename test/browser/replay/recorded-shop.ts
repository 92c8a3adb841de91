import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { eventually } from '#test/support/eventually'
import { type ReplaySite, type StoredReplay, settle } from './replay-site.ts'

/** A shop of two pages that is recorded, for tests of what becomes of a replay. */

export const SHOP = {
  '/': '<!doctype html><html><head><title>Shop</title></head><h1>Blue shoes</h1><a href="/cart">Cart</a></html>',
  '/cart': '<!doctype html><html><head><title>Cart</title></head><h1>Your cart</h1></html>',
}
export const WITHIN = { timeoutMs: 180_000 }

type Shop = Awaited<ReturnType<ReplaySite['newSite']>>

/** A page whose replay has begun. `hasClock`: the test moves its clock. */
export async function openShop(site: ReplaySite, { hasClock = false } = {}) {
  const shop = await site.newSite(SHOP)
  const user = await site.newUser()
  const page = await user.newPage()
  if (hasClock) await page.clock.install()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  await page.goto(shop.url())
  await eventually(async () => expect((await shop.replays())[0]?.chunks.length).toBeGreaterThan(0), WITHIN)
  return { shop, user, page, errors }
}

/** Adds a text to the page. */
export const show = (page: Page, text: string) =>
  page.evaluate(words => document.body.append(words), text).then(() => settle(page))

/** Tells the page that the tab is in the background, so the recorder sends what it has. */
export const setVisibility = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(value => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  }, state)

/**
 * Waits until the only replay of a site has a text, and every chunk once: nothing was lost or stored twice. A
 * chunk that was refused may come after the next one. Returns the replay.
 */
export async function untilStored(shop: Shop, text: string): Promise<StoredReplay> {
  const only = async () => {
    const [replay, ...others] = await shop.replays()
    expect(others).toEqual([])
    return replay!
  }
  return eventually(async () => {
    expect(JSON.stringify(await shop.events((await only()).id))).toContain(text)
    // What was read before its events may lack their chunk.
    const replay = await only()
    expect(replay.chunks.map(({ index }) => index)).toEqual(replay.chunks.map((_, at) => at))
    return replay
  }, WITHIN)
}

/** Words without an order, which compress badly: about 3.5 bytes each. */
export function noise(words: number): string {
  const word = () =>
    Math.random()
      .toString(36)
      .replace(/[^a-z]/g, '')
      .slice(0, 5)
  return Array.from({ length: words }, word).join(' ')
}
