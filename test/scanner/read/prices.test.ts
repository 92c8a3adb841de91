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

test('the price of one call is no price that a visitor pays, and a part of one is not read as whole', () => {
  const { prices } = findingsOf(
    '<p>€0.004 a hook</p><p>$0.02 per request</p><p>0,0005 EUR</p><p>€0.25 a stamp</p>',
  )
  expect(prices.map(({ amount }) => amount)).toEqual([0.25])
  expect(findingsOf('<p>€1.299</p><p>1.299,00 €</p>').prices.map(({ amount }) => amount)).toEqual([
    1299, 1299,
  ])
})

test.each([
  ['Startseite – Praxis Kern', 'Praxis Kern', 'Praxis Kern'],
  ['Home | Brisk Plumbing | Emergency plumber', 'A plumber within the hour', 'Brisk Plumbing'],
  ['Prices – a list of tea', 'Tea', 'Prices'],
])('the site with the title %s and the heading %s is called %s', (title, h1, name) => {
  const url = 'https://prices.test/'
  const html = `<title>${title}</title><main><h1>${h1}</h1></main>`
  const page = { url, finalUrl: url, status: 200, contentType: 'text/html', html, rendered: false }
  expect(readSite([page]).name?.quote).toBe(name)
})

test('a part of the title that other pages have too is the name of the site', () => {
  const page = (path: string, title: string) => ({
    ...{
      url: `https://x.test${path}`,
      finalUrl: `https://x.test${path}`,
      status: 200,
      contentType: 'text/html',
    },
    ...{ html: `<title>${title}</title>`, rendered: false },
  })
  const { name } = readSite([page('/', 'Slow Kitchen – a blog'), page('/onions', 'Onions | Slow Kitchen')])
  expect(name?.quote).toBe('Slow Kitchen')
})
