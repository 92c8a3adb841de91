import { expect, test } from 'vitest'
import { compareResults } from '#core/scans/compare-results'
import { advise } from '#scanner/advise/advise'
import { readSite } from '#scanner/read/read-site'
import { fetchedPages } from '#test/scans/corpus/fetched-pages'
import { sketch } from '#test/scans/sketches/sketch-site'

const HOME = `
  = / en Marlow Climbing :: A climbing hall in Marlow.
  main
  h1 Climb in Marlow
  a.btn /courses Book a course
  a tel:+440 Call us`
const VISIT = `
  = /visit en Visit | Marlow Climbing
  main
  h1 Visit us
  a.btn https://maps.app.goo.gl/m Get directions`

function analysed(text: string) {
  const { name, pages } = sketch('marlow', { kind: 'local_business', language: 'en', main: 'Book' }, text)
  const findings = readSite(fetchedPages({ name, pages, expect: { class: 'local_business' } }))
  const result = advise(findings, { mode: 'full' })
  return {
    findings,
    stored: { result, coverage: { pages: [], not_reached: [], rendering: 'not_needed' as const } },
  }
}

/** What a re-scan says of elements that are gone, after the pages have become `text`. */
function goneAfter(text: string): string[] {
  const after = analysed(text)
  const changes = compareResults(analysed(HOME + VISIT).stored, after.stored, after.findings)
  return (changes?.site ?? []).filter(sentence => /no longer on the site/.test(sentence))
}

test('a planned element that is gone from its page is named with its event and its page', () => {
  expect(goneAfter(HOME.replace('a.btn /courses Book a course', 'p Courses are full') + VISIT)).toEqual([
    'The element of the event booking_started, "Book a course" on "/", is no longer on the site.',
  ])
})

test('an element that has moved to another page, or has another address, is not gone', () => {
  const moved = `${HOME.replace('a.btn /courses Book a course', '')}${VISIT}\n  a.btn /new Book a course`
  expect(goneAfter(moved)).toEqual([])
  expect(goneAfter(HOME.replace('/courses', '/all-courses') + VISIT)).toEqual([])
})

test('an element of a page that was not read this time is not gone', () => {
  expect(goneAfter(HOME)).toEqual([])
})
