import { expect, test } from 'vitest'
import { openSiteReader } from '#scanner/read/open-site-reader'
import { readSite } from '#scanner/read/read-site'
import type { FetchedPage } from '#scanner/types'

/** A page that notes each time when it is read. */
function page(path: string, reads: string[]): FetchedPage {
  const url = `https://reader.test${path}`
  return {
    ...{ url, finalUrl: url, contentType: 'text/html', rendered: false },
    html: `<title>${path}</title><a href="/signup">Sign up</a>`,
    get status() {
      reads.push(path)
      return 200
    },
  } as FetchedPage
}

test('each page is read once, also when further ones come and one is replaced', () => {
  const reads: string[] = []
  const [first, second, third] = ['/', '/a', '/b'].map(path => page(path, reads)) as [
    FetchedPage,
    FetchedPage,
    FetchedPage,
  ]
  let pieces = 0
  const read = openSiteReader(work => {
    pieces += 1
    return work()
  })
  read([first])
  read([first, second])
  const findings = read([third, second])
  expect(reads).toEqual(['/', '/a', '/b'])
  // Each page is a piece of work of its own, so that the time of one page is all that a watcher must allow.
  expect(pieces).toBe(3)
  expect(findings).toEqual(readSite([third, second]))
})
