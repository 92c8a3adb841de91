import { expect, test } from 'vitest'
import type { Action } from '#scanner/read/findings'
import { readPage } from '#scanner/read/read-page'

function actionsOf(body: string, path = '/'): Action[] {
  return readPage({
    url: `https://s.test${path}`,
    finalUrl: `https://s.test${path}`,
    status: 200,
    contentType: 'text/html',
    html: `<!doctype html><html lang="en"><body>${body}</body></html>`,
    rendered: false,
  }).actions
}

const mailForm = (attributes: string, button: string) =>
  `<main><form ${attributes}><input type="email" name="email"><button type="submit">${button}</button></form></main>`

test.each([
  ['a sign-up', mailForm('action="/signup"', 'Go'), 'sign_up'],
  ['a magic link', mailForm('action="/auth/magic"', 'Mail it to me'), 'sign_up'],
  ['a waiting list', mailForm('class="waitlist"', 'Save my spot'), 'waitlist'],
  ['a notice of stock', mailForm('class="back-in-stock"', 'Tell me'), 'notify'],
  ['a newsletter', mailForm('action="https://x.us1.list-manage.com/subscribe"', 'Go'), 'subscribe'],
  ['nothing that is known', mailForm('action="/x"', 'Count me in'), 'other'],
])('a form with one e-mail field for %s', (_, body, intent) => {
  expect(actionsOf(body).map(each => each.intent)).toEqual([intent])
})

test('the reset of a password is too little for an event', () => {
  expect(actionsOf(mailForm('action="/password/reset"', 'Reset'))[0]?.certainty).toBeLessThan(0.45)
})

test.each([
  ['WooCommerce', '<a href="?add-to-cart=3" class="button">Læg i</a>'],
  ['PrestaShop', '<button data-button-action="add-to-cart">X y</button>'],
  ['Wix', '<button data-hook="add-to-cart">Tag den</button>'],
  ['Squarespace', '<div role="button" class="sqs-add-to-cart-button">Grab one</div>'],
])('the cart of %s is known by its markup, in any words', (_, body) => {
  expect(actionsOf(`<main>${body}</main>`)).toMatchObject([{ intent: 'add_to_cart', certainty: 1 }])
})

test('a primary button with words of its own is kept in its own words, and a toggle is not', () => {
  const body =
    '<main><a class="btn btn-primary" href="/w">Launch a workspace</a><button class="btn menu-toggle">Open it</button></main>'
  expect(actionsOf(body)).toMatchObject([{ intent: 'other', words: 'Launch a workspace', isPrimary: true }])
})

test('the banner of consent is no part of the site', () => {
  const body =
    '<div id="cookie-banner"><button class="btn btn-primary">Accept all of it</button></div><main><p>x</p></main>'
  expect(actionsOf(body)).toEqual([])
})

test('frames of services and players of sound are actions, and other frames are none', () => {
  const body =
    '<main><iframe src="https://calendly.com/a/b"></iframe><audio src="/1.mp3"></audio><iframe src="https://maps.test/embed"></iframe></main>'
  expect(actionsOf(body).map(({ intent, kind }) => [kind, intent])).toEqual([
    ['frame', 'book'],
    ['player', 'play'],
  ])
})

test('a yes below a question about the page is feedback', () => {
  const body = '<main><div class="feedback"><button type="button">Yes</button></div></main>'
  expect(actionsOf(body)).toMatchObject([{ intent: 'feedback' }])
})
