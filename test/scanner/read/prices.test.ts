import { expect, test } from 'vitest'
import { readSite } from '#scanner/read/read-site'

function findingsOf(body: string) {
  const url = 'https://prices.test/'
  const html = `<title>Prices</title><main>${body}</main>`
  return readSite([{ url, finalUrl: url, status: 200, contentType: 'text/html', html, rendered: false }])
}

test('a sum from which the delivery is free is no price', () => {
  const { prices } = findingsOf(
    '<p>Envío gratis a partir de 40 €</p><p>Free shipping over €50</p><p>Kostenloser Versand ab 30 €</p><p>24,00 €</p>',
  )
  expect(prices.map(({ amount }) => amount)).toEqual([24])
})

test('a heading is a plan only if its price comes before the next heading', () => {
  const { plans } = findingsOf(
    '<h2>Popular cities</h2><h3>Gravel bike for tall people</h3><p>€25</p><h3>Solo</h3><p>€9</p>',
  )
  expect(plans.map(({ name, price }) => `${name} ${price}`)).toEqual(['Solo €9'])
})

test('the button of a list and of the page of one product is one action, and the page of the product has it', () => {
  const add = '<form action="/cart/add"><button>Add to cart</button></form>'
  const page = (path: string, body: string) => {
    const url = `https://prices.test${path}`
    const html = `<title>Tea</title><main>${body}</main>`
    return { url, finalUrl: url, status: 200, contentType: 'text/html', html, rendered: false }
  }
  const { actions } = readSite([page('/', `${add}${add}`), page('/products/tea', add)])
  expect(actions.map(({ page: path, pages }) => [path, pages])).toEqual([['/products/tea', 2]])
})

test('a form that searches for days is a search, and a request for a callback is a contact', () => {
  const { actions } = findingsOf(
    '<form action="/search"><input name="where"><input type="date" name="from"><button>Find bikes</button></form><form action="/call"><input name="name"><input type="tel" name="tel"><textarea name="text"></textarea><button>Request a callback</button></form>',
  )
  expect(actions.map(({ intent }) => intent)).toEqual(['search', 'contact'])
})
