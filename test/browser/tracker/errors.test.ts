import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

const site = useTestSite()

/**
 * Opens a page with this script, and returns its `$error` events, which are `count`. Its own event `end`
 * comes after them, in the same request or in a later one.
 */
async function errorsOf(count: number, script: string, attributes = 'data-track-errors="true"') {
  site.server.setPage(
    `<!doctype html><title>Shoes</title>${site.server.snippet(attributes)}<script>${script}</script>`,
  )
  const page = await site.tab()
  await page.goto(site.server.page('/shop?card=42'))
  await page.evaluate(async () => {
    // A timer of the page, so that it comes after those of the script however slow the page is.
    await new Promise(resolve => setTimeout(resolve, 50))
    window.aa!.track('end', { text: 'ada@example.org' })
  })
  await site.leave(page)
  return eventually(() => {
    expect(site.server.propertiesOf('end')).toHaveLength(1)
    const errors = site.server.propertiesOf('$error')
    expect(errors).toHaveLength(count)
    return errors
  })
}

test('errors and rejections that the page does not handle are sent, without secrets', async () => {
  const errors = await errorsOf(
    4,
    `
    setTimeout(() => { throw new Error('No cart at https://shop.test/cart?token=abc for ada@example.org') })
    Promise.reject(new TypeError('rejected key=abc'))
    Promise.reject('text')
    setTimeout(() => { throw new Error('No cart at https://shop.test/cart?token=abc for ada@example.org') })`,
  )
  // The two errors with the same message come from different lines.
  expect(errors.map(({ message, source, line }) => [message, source, line]).toSorted()).toEqual([
    [
      'Uncaught Error: No cart at https://shop.test/cart[redacted] for [redacted]',
      site.server.page('/shop'),
      2,
    ],
    [
      'Uncaught Error: No cart at https://shop.test/cart[redacted] for [redacted]',
      site.server.page('/shop'),
      5,
    ],
    ['rejected key=[redacted]', '', 0],
    ['text', '', 0],
  ])
  for (const { line, col } of errors) expect(col === 0).toBe(line === 0)
  // What the page itself tracks is left as it is.
  expect(site.server.propertiesOf('end')[0]).toMatchObject({ text: 'ada@example.org' })
})

test('the same error is sent once, and at most five errors of a page view', async () => {
  const errors = await errorsOf(
    5,
    `
    for (let at = 0; at < 20; at++) setTimeout(() => { throw new Error('same') })
    for (let at = 0; at < 20; at++) Promise.reject('other ' + at)`,
  )
  expect(new Set(errors.map(({ message }) => message)).size).toBe(5)
})

test('a long message is cut to 500 characters, and a new route starts to count again', async () => {
  const errors = await errorsOf(
    2,
    `for (let at = 0; at < 9; at++) Promise.reject('a ' + 'b '.repeat(400) + at)
     // The tracker watches routes from the first timer after the document is parsed.
     addEventListener('load', () => setTimeout(() => {
       history.pushState({}, '', '/next')
       Promise.reject('a ' + 'b '.repeat(400))
     }))`,
    'data-track-errors="true" data-track-spa="true"',
  )
  expect(errors.map(({ path, message }) => [path, (message as string).length]).toSorted()).toEqual([
    ['/next', 500],
    ['/shop', 500],
  ])
})

test('an image that does not load is no error, and without the attribute none is sent', async () => {
  expect(await errorsOf(0, `document.write('<img src="data:image/png,x">')`)).toEqual([])
  site.server.requests.length = 0
  expect(await errorsOf(0, `Promise.reject('x')`, '')).toEqual([])
})
