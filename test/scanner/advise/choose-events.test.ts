import { describe, expect, test } from 'vitest'
import { advise } from '#scanner/advise/advise'
import { readSite } from '#scanner/read/read-site'
import type { FetchedPage } from '#scanner/types'
import { CORPUS } from '#test/scans/corpus/corpus'
import { fetchedPages } from '#test/scans/corpus/fetched-pages'
import { SKETCHES } from '#test/scans/sketches/sketches'

const sites = [...CORPUS, ...SKETCHES.map(site => ({ ...site, expect: { class: 'unknown' as const } }))]
  .map(site => ({ name: site.name, pages: fetchedPages(site) }))
  .filter(({ pages }) => pages.length > 1)

describe.each(sites)('the full plan for $name', ({ pages: [first, ...further] }) => {
  test('has each event of the preview for the same element, whichever further pages were read', () => {
    const preview = eventsOf([first as FetchedPage], 'preview')
    for (const others of [further, further.toReversed(), further.slice(0, 1), further.slice(-1)]) {
      const full = eventsOf([first as FetchedPage, ...others], 'full')
      expect(full.map(({ event }) => event)).toEqual(
        expect.arrayContaining(preview.map(({ event }) => event)),
      )
      expect(full.length).toBeLessThanOrEqual(8)
      expect(ownWordsOf(full)).toMatchObject(ownWordsOf(preview))
    }
  })
})

test('a plan says so when further pages show another kind of site than the first one alone', () => {
  const pages = sites.find(({ name }) => name === 'trabajo-tech')?.pages ?? []
  const { understanding } = advise(readSite(pages), { mode: 'full' })
  expect(advise(readSite(pages.slice(0, 1)), { mode: 'preview' }).understanding.site_class).toBe('unknown')
  expect(understanding.site_class).toBe('jobs')
  expect(understanding.notes).toEqual([
    '"/" alone looks like a site of a kind that its pages do not show; the 2 pages that were read look like a job board.',
  ])
})

test('a plan of one page, or of pages that agree, says nothing about kinds', () => {
  const pages = sites.find(({ name }) => name === 'casaluz')?.pages ?? []
  for (const read of [pages, pages.slice(0, 1)]) {
    expect(advise(readSite(read), { mode: 'full' }).understanding.notes.join()).not.toMatch(/alone/)
  }
})

function eventsOf(pages: FetchedPage[], mode: 'preview' | 'full') {
  return advise(readSite(pages), { mode }).minimum_viable_instrumentation
}

/** The words of the elements whose names are only places in a row. */
function ownWordsOf(events: ReturnType<typeof eventsOf>): Record<string, string | null> {
  return Object.fromEntries(
    events
      .filter(({ event }) => event.endsWith('_button_chosen'))
      .map(({ event, placement }) => [event, placement.words]),
  )
}
